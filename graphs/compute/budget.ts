import { LRUCache } from 'lru-cache';
import { AppError } from '#src/domain/app-error.ts';

/** Processor time for expressions, templates and schemas of users, in milliseconds. Source: docs/decisions/0066. */
export interface ComputeLimits {
  readonly nodeMs: number;
  readonly runMs: number;
  readonly organizationMsPerMinute: number;
}

export const standardLimits: ComputeLimits = { nodeMs: 100, runMs: 5_000, organizationMsPerMinute: 30_000 };

const minuteMs = 60_000;
/** Organizations with a meter at the same time. */
const metered = 10_000;

interface Meter {
  used: number;
}

/** Meters of the organizations that computed within the last minute, in this process. */
export class OrganizationMeters {
  readonly #meters = new LRUCache<string, Meter>({ max: metered, ttl: minuteMs });

  of(organizationId: string): Meter {
    const known = this.#meters.get(organizationId);
    if (known !== undefined) return known;
    const meter = { used: 0 };
    this.#meters.set(organizationId, meter);
    return meter;
  }

  /** Seconds until the minute of the organization is over. */
  secondsLeft(organizationId: string): number {
    return Math.max(1, Math.ceil(this.#meters.getRemainingTTL(organizationId) / 1_000));
  }
}

export interface BudgetParts {
  readonly limits: ComputeLimits;
  readonly organizations: OrganizationMeters;
  readonly organizationId: string;
  /** Shared by all visits of a run. */
  readonly run: Meter;
}

/** Time of one visit to a node. It counts against the run and the organization as well. */
export class VisitBudget {
  readonly #parts: BudgetParts;
  readonly #nodeId: string;
  #used = 0;

  constructor(parts: BudgetParts, nodeId: string) {
    this.#parts = parts;
    this.#nodeId = nodeId;
  }

  spend(milliseconds: number): void {
    this.#used += milliseconds;
    this.spendOfRun(milliseconds);
  }

  /** For work that has a limit of its own instead of the one of a visit. */
  spendOfRun(milliseconds: number): void {
    const { run, organizations, organizationId } = this.#parts;
    run.used += milliseconds;
    organizations.of(organizationId).used += milliseconds;
  }

  /** Milliseconds that are left. Throws `run.compute_exceeded` when there are none. */
  left(): number {
    const { limits, run, organizations, organizationId } = this.#parts;
    const node = `Node "${this.#nodeId}"`;
    const ofNode = limits.nodeMs - this.#used;
    if (ofNode <= 0) {
      throw exceeded(
        `${node} used ${limits.nodeMs} ms of computing time for its expressions and templates, the maximum of one visit. Simplify them, shorten the lists that they go through, or spread them over several nodes. The operator sets the limit with NODE_COMPUTE_MS.`,
      );
    }
    const ofRun = limits.runMs - run.used;
    if (ofRun <= 0) {
      throw exceeded(
        `${node}: the run used ${limits.runMs} ms of computing time for expressions and templates, the maximum of one run. Let loops and maps take fewer turns, or simplify their expressions. The operator sets the limit with RUN_COMPUTE_MS.`,
      );
    }
    const ofOrganization = limits.organizationMsPerMinute - organizations.of(organizationId).used;
    if (ofOrganization <= 0) {
      const wait = organizations.secondsLeft(organizationId);
      throw new AppError(
        'run.compute_exceeded',
        `${node}: the runs of the organization used ${limits.organizationMsPerMinute} ms of computing time for expressions and templates within a minute, the maximum. Start the run again in ${wait} s. The operator sets the limit with ORGANIZATION_COMPUTE_MS_PER_MINUTE.`,
        { retryAfterSeconds: wait },
      );
    }
    return Math.min(ofNode, ofRun, ofOrganization);
  }
}

function exceeded(detail: string): AppError {
  return new AppError('run.compute_exceeded', detail);
}
