/** Does something when the browser has painted what is there now, so that it does not wait for this. Not in a tab that nobody sees. */
export function afterPaint(work: () => void): void {
  requestAnimationFrame(() => setTimeout(work));
}
