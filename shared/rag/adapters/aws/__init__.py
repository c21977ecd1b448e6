"""The cloud's services behind the core's ports. Import these only where they are used: boto3 is."""
