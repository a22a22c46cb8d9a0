export interface SignInOrigin {
  readonly address: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}
