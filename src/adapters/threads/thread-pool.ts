import { InkgraphError } from '#src/domain/app-error.ts';

/** A member of a pool. It may have ended by itself, and can be ended. */
export interface Poolable {
  readonly ended: boolean;
  end(): Promise<void>;
}

export interface ThreadPoolOptions<T extends Poolable> {
  /** Limit of members. */
  readonly size: number;
  /** Loans after which a member is replaced, as the memory of WebAssembly only grows. */
  readonly maximumLoans: number;
  /** Idle time after which a member ends and frees its memory. */
  readonly idleMs: number;
  /** `kind` is that of the borrower, for example a language. */
  start(kind: string): T;
}

/** Starts members on demand and lends each to one borrower at a time, in order of request. */
export interface ThreadPool<T extends Poolable> {
  /** Rejects with the signal's reason while it waits. `work` must handle the signal itself. */
  use<R>(kind: string, signal: AbortSignal | undefined, work: (member: T) => Promise<R>): Promise<R>;
  /** Ends every member. Waiting and later borrowers get `PoolClosedError`. */
  close(): Promise<void>;
}

export class PoolClosedError extends InkgraphError {}

interface Member<T> {
  readonly kind: string;
  readonly thread: T;
  loans: number;
  idle: NodeJS.Timeout | undefined;
}

interface Waiting<T> {
  readonly kind: string;
  lend(member: Member<T>): void;
  refuse(error: unknown): void;
}

export function createThreadPool<T extends Poolable>(options: ThreadPoolOptions<T>): ThreadPool<T> {
  const members = new Set<Member<T>>();
  const waiting: Waiting<T>[] = [];
  let closed = false;

  const drop = async (member: Member<T>): Promise<void> => {
    clearTimeout(member.idle);
    members.delete(member);
    await member.thread.end();
  };

  const isIdle = (member: Member<T>): boolean => member.idle !== undefined;

  /** Returns a free member of this kind, a new one within the limit, or null. Prefers the most recently used, so that others expire. */
  const take = (kind: string): Member<T> | null => {
    for (const member of members) if (isIdle(member) && member.thread.ended) void drop(member);
    const idle = [...members].filter(isIdle);
    const found = idle.findLast((member) => member.kind === kind);
    if (found === undefined && members.size >= options.size) {
      const [other] = idle;
      if (other === undefined) return null;
      void drop(other);
    }
    const member = found ?? { kind, thread: options.start(kind), loans: 0, idle: undefined };
    clearTimeout(member.idle);
    member.idle = undefined;
    member.loans += 1;
    members.add(member);
    return member;
  };

  const serveNext = (): void => {
    const [next] = waiting;
    if (next === undefined) return;
    try {
      const member = take(next.kind);
      if (member === null) return;
      waiting.shift();
      next.lend(member);
    } catch (error) {
      waiting.shift();
      next.refuse(error);
      serveNext();
    }
  };

  const release = (member: Member<T>): void => {
    if (closed || member.thread.ended || member.loans >= options.maximumLoans) {
      void drop(member);
    } else {
      members.delete(member);
      members.add(member);
      member.idle = setTimeout(() => void drop(member), options.idleMs).unref();
    }
    serveNext();
  };

  const borrow = (kind: string, signal: AbortSignal | undefined): Promise<Member<T>> => {
    const free = waiting.length === 0 ? take(kind) : null;
    return free === null ? queueUp(waiting, kind, signal) : Promise.resolve(free);
  };

  return {
    async use(kind, signal, work) {
      signal?.throwIfAborted();
      if (closed) throw new PoolClosedError('the pool is closed');
      const member = await borrow(kind, signal);
      try {
        return await work(member.thread);
      } finally {
        release(member);
      }
    },
    async close() {
      closed = true;
      for (const turn of waiting.splice(0)) turn.refuse(new PoolClosedError('the pool is closed'));
      await Promise.all([...members].map(drop));
    },
  };
}

/** Waits in the queue until it is served or the signal aborts. */
function queueUp<T>(waiting: Waiting<T>[], kind: string, signal: AbortSignal | undefined): Promise<Member<T>> {
  const { promise, resolve, reject } = Promise.withResolvers<Member<T>>();
  const leave = (): void => {
    waiting.splice(waiting.indexOf(turn), 1);
    reject(signal?.reason);
  };
  const stay = (): void => signal?.removeEventListener('abort', leave);
  const turn: Waiting<T> = {
    kind,
    lend: (member) => {
      stay();
      resolve(member);
    },
    refuse: (error) => {
      stay();
      reject(error);
    },
  };
  waiting.push(turn);
  signal?.addEventListener('abort', leave, { once: true });
  return promise;
}
