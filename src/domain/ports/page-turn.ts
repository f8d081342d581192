/** A clock that can stand still. */
export interface Pausable {
  pause(): Disposable;
}

/** On whose behalf scarce work is done, such as a page of a PDF: owners take turns. Source: docs/decisions/0277. */
export interface PageTurn {
  /** An organization. Default: the work of nobody, in a turn of its own. */
  readonly owner?: string | undefined;
  /** SHA-256 of the document, in hex. Work on it that used up its limits is not tried again. Default: it is. */
  readonly content?: string | null | undefined;
  /** true: a person asked for the work, so it is tried again. */
  readonly again?: true | undefined;
  /** Ends the wait, and the work. */
  readonly signal?: AbortSignal | undefined;
  /** Stands still while the work waits for its turn. */
  readonly clock?: Pausable | undefined;
}
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
