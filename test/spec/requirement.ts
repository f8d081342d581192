/** Headings of docs/specification.md, in its order. */
export const chapters = [
  'Life of a document',
  'Resources',
  'States',
  'Requests and responses',
  'Workflow-key uploads',
  'Service API',
  'Dashboard API',
  'Dashboard pages',
  'Health',
  'Processes',
  'Authentication',
  'Events',
  'Errors',
  'Limits',
  'API description',
] as const;

export type Chapter = (typeof chapters)[number];

/** The part of the product that will bring what a deferred statement describes. */
export type Milestone = 'operators' | 'stored-workflows' | 'mcp' | 'experiments';

/** One statement of the specification. `decision` is the record that explains it. */
export interface Requirement<Id extends string = string> {
  readonly id: Id;
  /** Heading in docs/specification.md. */
  readonly chapter: Chapter;
  /** A sentence about behaviour; becomes the title of the test that proves it. */
  readonly behaviour: string;
  readonly status: 'proved' | 'deferred';
  readonly deferredTo?: Milestone;
  /** Path from the root of the repository. */
  readonly decision?: string;
}

/** The behaviour alone, or with the file name (without `.md`) of the decision record. */
type Statement = string | readonly [behaviour: string, decision: string];

export interface ProvedRow<Id extends string> extends Requirement<Id> {
  readonly status: 'proved';
}

export interface DeferredRow<Id extends string> extends Requirement<Id> {
  readonly status: 'deferred';
  readonly deferredTo: Milestone;
}

function described(statement: Statement): { behaviour: string; decision?: string } {
  if (typeof statement === 'string') return { behaviour: statement };
  return { behaviour: statement[0], decision: `docs/decisions/${statement[1]}.md` };
}

/** Statements of one chapter that a test proves now. */
export function proved<Id extends string>(
  chapter: Chapter,
  statements: Record<Id, Statement>,
): readonly ProvedRow<Id>[] {
  return entries(statements).map(([id, statement]) => ({ id, chapter, ...described(statement), status: 'proved' }));
}

/** Statements of one chapter that belong to a part of the product still to come. */
export function deferred<Id extends string>(
  chapter: Chapter,
  deferredTo: Milestone,
  statements: Record<Id, Statement>,
): readonly DeferredRow<Id>[] {
  return entries(statements).map(([id, statement]) => ({
    id,
    chapter,
    ...described(statement),
    status: 'deferred',
    deferredTo,
  }));
}

function entries<Id extends string>(statements: Record<Id, Statement>): [Id, Statement][] {
  // Object.entries forgets the key type; the keys are exactly Id.
  return Object.entries(statements) as [Id, Statement][];
}
