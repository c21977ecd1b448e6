/** What became of each passage that was found, from the explanation of an answer. */

/** The kinds of ends, best first, with their words. */
export const FATES = {
  cited: 'cited',
  used: 'in the prompt',
  dropped: 'dropped as irrelevant',
  repeated: 'repeats another',
  'no-room': 'no room in the prompt',
  beyond: 'beyond topK',
  below: 'below the least score',
  out: 'not in the prompt',
};

/** Every passage that was ranked, in its final order, with its scores and its fate. */
export function fates(told) {
  const { fuse, rerank, assemble, ground } = told.explain;
  const fused = new Map(fuse.candidates.map((one) => [one.chunk, one]));
  const shown = new Map(assemble.pieces.flatMap((one) => one.chunks.map((id) => [id, one])));
  const repeated = new Map(assemble.repetitions.map((one) => [one.chunk, one.of]));
  const withoutRoom = new Set(assemble.withoutRoom);
  const relevant = new Set(ground.relevant);
  const cited = citedChunks(told);
  const returned = rerank.scores.length - rerank.belowMinScore - rerank.beyondTopK;
  const atLeast = rerank.scores.length - rerank.belowMinScore;

  return rerank.scores.map((one, at) => ({
    ...fused.get(one.chunk),
    ...one,
    of: repeated.get(one.chunk) ?? null,
    // What is dropped has none: another passage may be cited by the same number.
    n: cited.has(one.chunk) || relevant.has(one.chunk) ? shown.get(one.chunk)?.n ?? null : null,
    fate: fate(one.chunk, at),
  }));

  function fate(chunk, at) {
    if (cited.has(chunk)) return 'cited';
    if (relevant.has(chunk)) return 'used';
    if (shown.has(chunk)) return 'dropped';
    if (repeated.has(chunk)) return 'repeated';
    if (withoutRoom.has(chunk)) return 'no-room';
    if (at >= atLeast) return 'below';
    return at >= returned ? 'beyond' : 'out';
  }
}

/** The passages that hold a quoted word; of joined ones, those whose own place it is in. */
function citedChunks(told) {
  const { rerank, assemble } = told.explain;
  const places = new Map(told.documents.map((one, at) => [rerank.scores[at]?.chunk, one.metadata]));
  const cited = new Set();
  for (const piece of assemble.pieces) {
    for (const chunk of piece.chunks) {
      const place = places.get(chunk);
      const { start, end } = Number.isInteger(place?.start) ? place : piece;
      const [id] = chunk.split('.');
      const holds = (one) => one.n === piece.n && one.documentId === id
        && one.start < end && one.end > start;
      if (told.citationsUsed.some(holds)) cited.add(chunk);
    }
  }
  return cited;
}

/** How many came through each stage, with what it took. */
export function stages(told) {
  const { retrieve, fuse, rerank, assemble, ground, milliseconds: took } = told.explain;
  const all = retrieve.candidates;
  const by = (search) => all.filter((one) => one.foundBy.includes(search)).length;
  const inPrompt = assemble.pieces.reduce((sum, one) => sum + one.chunks.length, 0);
  const read = (took.read ?? 0) + (took.rerank ?? 0);
  return [
    { name: 'Found', many: all.length, took: took.retrieve,
      note: `${by('meaning')} by meaning, ${by('words')} by words` },
    { name: 'Fused', many: fuse.candidates.length, took: took.fuse, note: 'the best of both' },
    { name: 'Reranked', many: rerank.scores.length, took: read, note: 'read and put in order' },
    { name: 'In the prompt', many: inPrompt, took: took.assemble,
      note: `${assemble.tokenCount} tokens` },
    { name: 'Relevant', many: ground.relevant.length, took: took.ground, note: 'bear on it' },
    { name: 'Cited', many: citedChunks(told).size, took: took.answer, note: 'hold quoted words' },
  ];
}
