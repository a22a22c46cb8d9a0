/**
 * Gaussian-process regression of what one beacon's signal loses beyond the path-loss model (Rasmussen and Williams, Gaussian
 * Processes for Machine Learning, chapter 2; on a map it is called kriging): by how much the beacon differs everywhere, and
 * what walls, shelves and reflections do around each place.
 */

/** How far beacons differ in all places, dB². */
const EVERYWHERE_VARIANCE = 9;
/** How far one place differs from the others, dB². */
const LOCAL_VARIANCE = 20;
/** Over how many metres a place says something about another. */
const LENGTH = 1.5;
/** Of the mean of one second, dB²; and what the same place differs by from one survey to the next: a body, a door. */
const SECOND_VARIANCE = 12;
const SURVEY_VARIANCE = 30;

/** What was measured around a place: mean residual in dB, over so many seconds of so many surveys. */
export interface Measured {
  readonly x: number;
  readonly y: number;
  readonly residual: number;
  readonly seconds: number;
  readonly surveys: number;
}

/** The residual (dB) that is expected at a place; beyond all that was measured, what holds everywhere. */
export function krige(measured: readonly Measured[]): (x: number, y: number) => number {
  const factor = cholesky(
    measured.map((a, row) =>
      measured.map((b, column) => {
        const noise = SECOND_VARIANCE / a.seconds + SURVEY_VARIANCE / a.surveys;
        return covariance(a.x - b.x, a.y - b.y) + (row === column ? noise : 0);
      }),
    ),
  );
  const residuals = measured.map(({ residual }) => residual);
  const weights = backward(factor, forward(factor, residuals));
  return (x, y) =>
    measured.reduce((sum, one, index) => sum + (weights[index] as number) * covariance(x - one.x, y - one.y), 0);
}

const covariance = (dx: number, dy: number): number =>
  EVERYWHERE_VARIANCE + LOCAL_VARIANCE * Math.exp(-(dx * dx + dy * dy) / (2 * LENGTH * LENGTH));

/** The lower triangle L of a symmetric, positive definite matrix L·Lᵀ, by rows. */
function cholesky(matrix: readonly (readonly number[])[]): number[][] {
  const lower: number[][] = [];
  for (const [row, values] of matrix.entries()) {
    const own: number[] = [];
    for (let column = 0; column <= row; column++) {
      const other = column === row ? own : (lower[column] as number[]);
      let sum = values[column] as number;
      for (let index = 0; index < column; index++) sum -= (own[index] as number) * (other[index] as number);
      own.push(column === row ? Math.sqrt(sum) : sum / (other[column] as number));
    }
    lower.push(own);
  }
  return lower;
}

/** x of L·x = b. */
function forward(lower: readonly (readonly number[])[], b: readonly number[]): number[] {
  const x: number[] = [];
  for (const [row, own] of lower.entries()) {
    let sum = b[row] as number;
    for (let index = 0; index < row; index++) sum -= (own[index] as number) * (x[index] as number);
    x.push(sum / (own[row] as number));
  }
  return x;
}

/** x of Lᵀ·x = b. */
function backward(lower: readonly (readonly number[])[], b: readonly number[]): number[] {
  const x = [...b];
  for (let row = x.length - 1; row >= 0; row--) {
    const own = lower[row] as readonly number[];
    const value = (x[row] as number) / (own[row] as number);
    x[row] = value;
    for (let index = 0; index < row; index++) x[index] = (x[index] as number) - (own[index] as number) * value;
  }
  return x;
}
