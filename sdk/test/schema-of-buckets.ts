/** The buckets of Guide * / of the museum, as their schemas declare them. Written by `pharos types`. */
export interface Buckets {
  readonly Empty: {
    readonly [member: string]: unknown;
  };
  readonly guestbook: {
    readonly stars?: number | null;
    readonly note?: string | null;
    readonly 'is-public'?: boolean | null;
    readonly at?: string | { readonly __type: 'Date'; readonly iso: string } | null;
    readonly [member: string]: unknown;
  };
}
