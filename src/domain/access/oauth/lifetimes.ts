const day = 86_400_000;

/** Lifetimes in milliseconds. Source: docs/decisions/0043. */
export const lifetimes = {
  /** Authorization code: the time for one redirect. */
  codeMs: 120_000,
  accessMs: 3_600_000,
  /** Refresh token: each refresh issues a new one. */
  refreshMs: 30 * day,
  /** Registered clients that never got a token, and clients that got none for a while. */
  unusedClientMs: 7 * day,
  idleClientMs: 90 * day,
} as const;
