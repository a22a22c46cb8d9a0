/** Epoch milliseconds. Injected, so that tests can let time pass without waiting. */
export type Clock = () => number;
