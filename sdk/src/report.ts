/** Passes an exception of the app's own function to `onError`, else to the platform, so that it is not lost. */
export function report(error: unknown, onError?: (error: unknown) => void): void {
  try {
    (onError ?? toPlatform)(error);
  } catch (other) {
    toPlatform(other);
  }
}

/** Calls a function of the app; its exceptions are reported and do not disturb the client's own work. */
export function safely(work: () => unknown, onError?: (error: unknown) => void): void {
  try {
    const result = work();
    if (result instanceof Promise) result.catch((error: unknown) => report(error, onError));
  } catch (error) {
    report(error, onError);
  }
}

/** Browsers have reportError; Node and React Native show an error that is logged. */
function toPlatform(error: unknown): void {
  const { reportError } = globalThis as { reportError?: (error: unknown) => void };
  if (reportError) reportError(error);
  else console.error(error);
}
