/** A check of the doctor. */
export interface Finding {
  readonly ok: boolean;
  readonly what: string;
  /** Step that fixes the failed check. */
  readonly fix?: string;
}
