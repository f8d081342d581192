/**
 * Work on documents that used up its computing time or its memory. It is known in all processes, by the version of the program that works: a new
 * version tries again. Source: `pages.not_tried_again`, docs/decisions/0278.
 */
export interface SpentWork {
  /** Number of times that `work` used up its limits on the content of an organization. */
  times(organizationId: string, content: string, work: string): Promise<number>;
  add(organizationId: string, content: string, work: string): Promise<void>;
}

/** Times after which work is not done again. */
export const mostSpent = 2;
