export interface Settings {
  readonly baseUrl: string;
  readonly appId: string;
  readonly appKey: string;
  /** The public key of Web Push; without one the guide pushes nothing. */
  readonly publicKey?: string | undefined;
}
