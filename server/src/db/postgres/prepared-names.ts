import { perLiteral, renderSql, type Sql } from '../../base/sql.ts';

export const placeholder = (position: number) => `$${position}`;

/** What the driver sends: without a name, the server parses and plans the text each time. */
export interface NamedText {
  readonly text: string;
  readonly name?: string;
}

/** Names in use at a time. A connection keeps a plan for each, some tens of kilobytes. */
const maxNames = 400;
/** Texts without a name whose uses are counted. */
const maxCounted = 1_000;
/** Uses within one period that earn a name. */
const usesForName = 8;
const periodMs = 60_000;
/** A name that has not been used for so many periods is given to another text. */
const idlePeriods = 10;

/** A connection that has prepared so many statements, those with former names among them, is replaced by a new one. */
export const maxPrepared = 600;

interface Counted {
  readonly text: string;
  /** Replaced as a whole, since the driver is handed this very object. */
  sent: NamedText;
  /** The period of the last use. */
  period: number;
  /** Within that period. */
  uses: number;
  /** Of the same text, which has the name. */
  same?: Counted;
}

/**
 * Which statements a connection prepares: those that are used often. A statement that is parsed and planned each time costs the
 * server three times as much as a prepared one, and there are more different texts (start-up, sweeps, lists with filters of
 * clients) than any connection should keep. A text earns a name by its uses within a minute, and keeps it until another text needs it
 * and it has not been used for ten. Names are not given twice: on a connection, a name belongs to one text for good.
 */
export class PreparedNames {
  readonly #now: () => number;
  readonly #found = perLiteral((statement) => this.#counted(renderSql(statement, placeholder)));
  /** Without a name, the least recently used first. */
  readonly #unnamed = new Map<string, Counted>();
  readonly #named = new Map<string, Counted>();
  #given = 0;
  /** No name can be taken from its text before this period. */
  #fullUntil = 0;

  /** @param now milliseconds, monotonic */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  use(statement: Sql): NamedText {
    const counted = this.#of(statement);
    const period = Math.floor(this.#now() / periodMs);
    if (counted.period !== period) {
      counted.period = period;
      counted.uses = 0;
    }
    counted.uses += 1;
    if (counted.sent.name === undefined && counted.uses >= usesForName && period >= this.#fullUntil)
      this.#name(counted);
    return counted.sent;
  }

  /**
   * What a connection keeps under this name is of no use any more: the statement gets another name and is prepared anew everywhere. Its
   * text changes too, since PgBouncer knows statements by their text and would go on with the old plan.
   */
  renew(statement: Sql, name: string): void {
    const counted = this.#of(statement);
    // Others that ran at the same time may have been faster.
    if (counted.sent.name !== name) return;
    const next = `p${this.#given++}`;
    counted.sent = { text: `${counted.text} /* ${next} */`, name: next };
  }

  #of(statement: Sql): Counted {
    let found = this.#found(statement);
    // Few steps: what another one stands for gets no name again.
    while (found.same) found = found.same;
    return found;
  }

  #counted(text: string): Counted {
    const named = this.#named.get(text);
    if (named) return named;
    const known = this.#unnamed.get(text);
    const counted = known ?? { text, sent: { text }, period: 0, uses: 0 };
    this.#unnamed.delete(text);
    this.#unnamed.set(text, counted);
    if (this.#unnamed.size > maxCounted) {
      const [oldest] = this.#unnamed.keys();
      this.#unnamed.delete(oldest as string);
    }
    return counted;
  }

  #name(counted: Counted): void {
    const known = this.#named.get(counted.text);
    if (known) {
      // Forgotten as one of too many without a name, and counted anew from another place of the program.
      counted.same = known;
      return;
    }
    if (this.#named.size >= maxNames && !this.#takeName(counted.period)) return;
    counted.sent = { text: counted.text, name: `p${this.#given++}` };
    this.#unnamed.delete(counted.text);
    this.#named.set(counted.text, counted);
  }

  /** Takes the name from the text that has not been used for longest, if that is long enough ago. */
  #takeName(period: number): boolean {
    let longest: Counted | undefined;
    for (const counted of this.#named.values()) if (!longest || counted.period < longest.period) longest = counted;
    if (!longest || period - longest.period < idlePeriods) {
      this.#fullUntil = period + 1;
      return false;
    }
    longest.sent = { text: longest.text };
    this.#named.delete(longest.text);
    return true;
  }
}
