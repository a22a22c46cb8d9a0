/** The client from which somebody signs in. */
export interface SignInOrigin {
  readonly address: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}
