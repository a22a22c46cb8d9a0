/** Does something after the browser has painted the current state, so that the paint does not wait for it. Does nothing in a hidden tab. */
export function afterPaint(work: () => void): void {
  requestAnimationFrame(() => setTimeout(work));
}
