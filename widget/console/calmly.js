/** Work that many ask for at about the same time. */

const PAUSE_MS = 500;

/** What has `act` done once at a time, and not all the time: asked for in between, it is done once
 * more for all who asked. */
export function calmly(act) {
  let isWanted = false;
  let isBusy = false;
  return async () => {
    isWanted = true;
    if (isBusy) return;
    isBusy = true;
    while (isWanted) {
      isWanted = false;
      await act();
      await new Promise((resolve) => { setTimeout(resolve, PAUSE_MS); });
    }
    isBusy = false;
  };
}
