/** Visitors who walk across a floor, what their phones hear there, and recorded signals. */
export { type Stop, secondsOf } from './guided.ts';
export type { FloorPlan, PlannedBeacon, Spot, Wall, Waypoint } from './plan.ts';
export { openPlan, PlanError, plannedBeacons, readPlan } from './plan-file.ts';
export { createRandom, type Random } from './random.ts';
export { type Recorded, RecordingError, readRecording } from './recording.ts';
export { Routes } from './routes.ts';
export { type Report, Visitor } from './visitor.ts';
export { meanSpeed } from './walker.ts';
