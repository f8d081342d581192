/** Where a statement is proved later, named after the part of the product that brings it. */
export type Milestone = 'operators' | 'stored-workflows' | 'mcp' | 'experiments';

/** One statement of the interface specification. `decision` is the record that settles what the specification leaves open. */
export interface Requirement<Id extends string = string> {
  readonly id: Id;
  /** Section of the specification, or several joined by `, ` where it says the same twice. */
  readonly section: string;
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

function told(statement: Statement): { behaviour: string; decision?: string } {
  if (typeof statement === 'string') return { behaviour: statement };
  return { behaviour: statement[0], decision: `docs/decisions/${statement[1]}.md` };
}

/** Statements of one section that a test proves now. */
export function proved<Id extends string>(
  section: string,
  statements: Record<Id, Statement>,
): readonly ProvedRow<Id>[] {
  return entries(statements).map(([id, statement]) => ({ id, section, ...told(statement), status: 'proved' }));
}

/** Statements of one section that belong to a part of the product still to come. */
export function deferred<Id extends string>(
  section: string,
  deferredTo: Milestone,
  statements: Record<Id, Statement>,
): readonly DeferredRow<Id>[] {
  return entries(statements).map(([id, statement]) => ({
    id,
    section,
    ...told(statement),
    status: 'deferred',
    deferredTo,
  }));
}

function entries<Id extends string>(statements: Record<Id, Statement>): [Id, Statement][] {
  // Object.entries forgets the key type; the keys are exactly Id.
  return Object.entries(statements) as [Id, Statement][];
}
