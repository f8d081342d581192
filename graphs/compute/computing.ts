import { LRUCache } from 'lru-cache';
import { AppError } from '#src/domain/app-error.ts';
import { evaluateBatch, isTaken, type Batch, type BatchResult } from '#graphs/compute/evaluate-batch.ts';
import {
  OrganizationMeters,
  standardLimits,
  VisitBudget,
  type BudgetParts,
  type ComputeLimits,
} from '#graphs/compute/budget.ts';
import { isSmall } from '#graphs/compute/is-small.ts';
import { Turns } from '#graphs/compute/turns.ts';
import { ComputeEndedError, ComputeLateError, type ComputeThreads } from '#graphs/compute/threads.ts';
import { parseExpression, type Expression } from '#graphs/expression/expression.ts';
import { templateSteps } from '#graphs/expression/template.ts';
import { OverrunError } from '#graphs/expression/watchdog.ts';

type Scope = Readonly<Record<string, unknown>>;

/** Computes what the author of a workflow wrote, within the budget of one visit to a node. Throws `run.compute_exceeded`. */
export interface NodeComputing {
  /** Values of expressions, in order. `untilTrue`: stops after the first value that is neither false nor null. Throws `expression.failed`. */
  evaluate(sources: readonly string[], scope: Scope, options?: { readonly untilTrue?: boolean }): Promise<unknown[]>;
  /** See `Template.fill`. */
  fill(template: string, scope: Scope, asText?: (value: unknown) => string): Promise<string>;
  /** See `answerProblems`. */
  problems(schema: Scope, value: unknown): Promise<readonly string[]>;
}

/** Computing of one run. */
export interface RunComputing {
  forVisit(nodeId: string, signal?: AbortSignal): NodeComputing;
}

/** Wall time of an evaluation on the event loop. A longer one is repeated in a thread. */
const tryMs = 5;
/** Wall time of a call in a thread, for each millisecond of processor time and in addition: other threads wait and work too. */
const wallFactor = 10;
const wallMs = 3_000;
/** Wall time of a validation. */
const validationMs = 2_000;
/** Characters of the expressions that stay parsed. */
const keptSource = 50_000;

/** Computing of a process, shared by its runs. Without threads everything runs on the event loop. */
export class Computing {
  readonly turns = new Turns();
  readonly #threads: ComputeThreads | null;
  readonly #limits: ComputeLimits;
  readonly #organizations = new OrganizationMeters();
  readonly #parsed = new LRUCache<string, Expression>({
    maxSize: keptSource,
    sizeCalculation: (_, source) => source.length + 1,
  });

  constructor(threads: ComputeThreads | null = null, limits: ComputeLimits = standardLimits) {
    this.#threads = threads;
    this.#limits = limits;
  }

  forRun(organizationId: string): RunComputing {
    const parts: BudgetParts = {
      limits: this.#limits,
      organizations: this.#organizations,
      organizationId,
      run: { used: 0 },
    };
    const tools = { threads: this.#threads, turns: this.turns, parse: (source: string) => this.#parse(source) };
    return { forVisit: (nodeId, signal) => new Visit(tools, new VisitBudget(parts, nodeId), signal) };
  }

  #parse(source: string): Expression {
    const known = this.#parsed.get(source);
    if (known !== undefined) return known;
    const expression = parseExpression(source);
    this.#parsed.set(source, expression);
    return expression;
  }
}

interface Tools {
  readonly threads: ComputeThreads | null;
  readonly turns: Turns;
  readonly parse: (source: string) => Expression;
}

class Visit implements NodeComputing {
  readonly #tools: Tools;
  readonly #budget: VisitBudget;
  readonly #signal: AbortSignal | undefined;

  constructor(tools: Tools, budget: VisitBudget, signal: AbortSignal | undefined) {
    this.#tools = tools;
    this.#budget = budget;
    this.#signal = signal;
  }

  async evaluate(sources: readonly string[], scope: Scope, { untilTrue = false } = {}): Promise<unknown[]> {
    const values: unknown[] = [];
    for (const source of sources) {
      const tried = await this.#step(() => this.#here(source, scope));
      if (tried === elsewhere) {
        const rest = { sources: sources.slice(values.length), scope: namedIn(sources, scope, this.#tools), untilTrue };
        values.push(...(await this.#inThread(rest)));
        break;
      }
      values.push(tried);
      if (untilTrue && isTaken(tried)) break;
    }
    return values;
  }

  async fill(text: string, scope: Scope, asText?: (value: unknown) => string): Promise<string> {
    const steps = templateSteps(text, this.#tools.parse);
    for (;;) {
      const step = await this.#step(() => steps.next());
      if (step.done !== true) continue;
      const template = step.value;
      const values = await this.evaluate(
        template.expressions.map(({ source }) => source),
        scope,
      );
      return this.#step(() => template.insert(values, asText));
    }
  }

  async problems(schema: Scope, value: unknown): Promise<readonly string[]> {
    const { threads } = this.#tools;
    if (threads === null) {
      const { answerProblems } = await import('#graphs/models/read-answer.ts');
      return answerProblems(schema, value);
    }
    try {
      const answer = await threads.call('problems', { schema, value }, this.#limit(validationMs));
      const { problems, usedMs } = answer as { readonly problems: readonly string[]; readonly usedMs: number };
      this.#budget.spendOfRun(usedMs);
      return problems;
    } catch (error) {
      if (!(error instanceof ComputeLateError || error instanceof ComputeEndedError)) throw error;
      this.#budget.spendOfRun(validationMs);
      const detail = `The answer could not be compared with its JSON Schema within ${validationMs} ms. Simplify the schema: fewer alternatives in anyOf and oneOf, and fewer parts inside lists.`;
      throw new AppError('run.compute_exceeded', detail, { cause: error });
    }
  }

  /** One piece of synchronous work, in turn and within the budget. */
  async #step<Value>(work: () => Value): Promise<Value> {
    this.#budget.left();
    const done = await this.#tools.turns.run(work);
    this.#budget.spend(done.ms);
    if ('error' in done) throw done.error;
    return done.value;
  }

  #here(source: string, scope: Scope): unknown {
    const { threads, parse } = this.#tools;
    const expression = parse(source);
    const isCheap = !expression.expensive && isSmall(expression.names.map((name) => scope[name]));
    if (threads === null || isCheap) return expression.evaluate(scope);
    try {
      return expression.evaluate(scope, { tryFor: tryMs });
    } catch (error) {
      if (error instanceof OverrunError) return elsewhere;
      throw error;
    }
  }

  async #inThread(batch: Omit<Batch, 'ms'>): Promise<readonly unknown[]> {
    const ms = this.#budget.left();
    const { values, usedMs, spent, error } = await this.#computed({ ...batch, ms });
    this.#budget.spend(spent ? Math.max(ms, usedMs) : usedMs);
    if (spent) this.#budget.left();
    if (error !== undefined) throw new AppError(error.code, error.detail);
    return values;
  }

  async #computed(batch: Batch): Promise<BatchResult> {
    const { threads } = this.#tools;
    if (threads === null) return evaluateBatch(batch);
    try {
      const limit = this.#limit(batch.ms * wallFactor + wallMs);
      return (await threads.call('evaluate', batch, limit)) as BatchResult;
    } catch (error) {
      if (error instanceof ComputeLateError) return { values: [], usedMs: batch.ms, spent: true };
      if (!(error instanceof ComputeEndedError)) throw error;
      const detail = 'An expression needs too much memory. Let it build shorter texts and lists.';
      return { values: [], usedMs: batch.ms, spent: false, error: { code: 'expression.failed', detail } };
    }
  }

  #limit(ms: number) {
    return this.#signal === undefined ? { ms } : { ms, signal: this.#signal };
  }
}

const elsewhere = Symbol('in a thread');

/** The part of the scope that expressions name: only this is copied to the thread. */
function namedIn(sources: readonly string[], scope: Scope, { parse }: Tools): Scope {
  const names = new Set(sources.flatMap((source) => parse(source).names));
  return Object.fromEntries(Object.entries(scope).filter(([name]) => names.has(name)));
}
