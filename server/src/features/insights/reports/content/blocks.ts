/** A report as blocks, from which the mail, its plain text and the PDF are written. */

export interface Link {
  readonly text: string;
  readonly url: string;
}

interface Titled {
  readonly title: string;
  readonly about: string;
  /** Where the console shows it. */
  readonly link: Link;
}

export interface Fact {
  readonly label: string;
  readonly value: string;
  readonly note: string;
}

export interface Bar {
  readonly label: string;
  readonly size: number;
  readonly text: string;
  /** Of the period before; undefined: there is nothing to compare. */
  readonly before?: { readonly size: number; readonly text: string } | undefined;
  readonly mark?: string | undefined;
}

export type Block =
  | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
  | (Titled & {
      readonly kind: 'bars';
      readonly bars: readonly Bar[];
      /** What the bars mean, in words. */
      readonly says?: readonly string[];
    })
  | (Titled & {
      readonly kind: 'grid';
      readonly columns: readonly string[];
      readonly rows: readonly {
        readonly label: string;
        readonly cells: readonly { readonly size: number; readonly text: string; readonly isOpen: boolean }[];
      }[];
    })
  | (Titled & {
      readonly kind: 'table';
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    });

export interface ReportDocument {
  readonly subject: string;
  readonly title: string;
  readonly subtitle: string;
  readonly story: readonly string[];
  readonly blocks: readonly Block[];
  readonly notes: readonly string[];
  /** A tag of BCP 47. */
  readonly language: string;
}
