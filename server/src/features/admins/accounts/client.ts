/** From where somebody signs in. */
export interface Client {
  readonly address: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}
