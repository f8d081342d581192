const day = 86_400_000;

/** In milliseconds. Source: mcp.md "OAuth 2.1 authorization server". */
export const lifetimes = {
  /** From the consent page to the token endpoint: a redirect. */
  codeMs: 120_000,
  accessMs: 3_600_000,
  /** From one refresh to the next: each makes a new one. */
  refreshMs: 30 * day,
  /** A registered client that never got a token, and one that got none any more. */
  unusedClientMs: 7 * day,
  idleClientMs: 90 * day,
} as const;
