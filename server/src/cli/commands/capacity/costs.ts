/**
 * What visitors cost, each figure with where it was measured. When the cost of a visit or a sighting changes, measure again and
 * change it here; `pharos capacity` computes with nothing else.
 */

interface Cost {
  readonly value: number;
  /** The command that measures it, or why it is a guess. */
  readonly source: string;
  readonly isEstimate?: true;
}

export const costs = {
  /** Bytes on disk of a stop at a beacon, with its events, verdicts and indexes. */
  bytesPerVisit: {
    value: 10_600,
    source: 'measured in November 2026 on PostgreSQL, four events and a message (ADR 70)',
  },
  /** Rows written for a sighting, beside those of visits. */
  rowsPerSighting: { value: 0.039, source: 'measured in November 2026 (ADR 39)' },
  /** Bytes of PostgreSQL's log for a sighting. */
  logPerSighting: { value: 41, source: 'measured in November 2026 (ADR 39)' },
  /** Bytes of PostgreSQL's log for a visit: what is stored is logged once, and full pages after a checkpoint once more. */
  logPerVisit: { value: 21_000, source: 'twice the bytes of a visit', isEstimate: true },
  /** Deliveries a second that one node on two cores takes. */
  deliveriesPerSecond: {
    sqlite: { value: 11_871, source: 'npm run bench -- sightings, 64 senders, one event a delivery' },
    postgres: { value: 5_695, source: 'npm run bench -- sightings, 64 senders, one event a delivery, without fsync' },
  },
  /** Statements of an idle node, a second: one poll every 750 ms, and the timers. */
  idleStatements: { value: 2, source: 'the aim of the poller (db/nodes/poller.ts)', isEstimate: true },
  /** Deliveries that arrive together share statements; this is one that comes alone. */
  statementsPerDelivery: { value: 3, source: 'begin, the question for the installation, commit', isEstimate: true },
  /** Bytes of one hour of one beacon in the numbers that outlive the visits. */
  bytesPerBeaconHour: { value: 600, source: 'a row of visit_rollups with some dozens of visitors', isEstimate: true },
} as const satisfies Readonly<Record<string, Cost | Readonly<Record<string, Cost>>>>;

/**
 * The share of a node's capacity that is planned for: the rest is for the console, pushes, other cores' work and one node's
 * absence.
 */
export const plannedShare = 0.3;
