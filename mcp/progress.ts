import type { ServerContext } from '@modelcontextprotocol/server';
import type { Progress } from '#tools/define.ts';

/** Between two notifications of one request, in milliseconds. */
const restMs = 200;

interface ProgressReport {
  readonly report: (progress: Progress) => void;
  /** Sends what was held back: after the answer nothing may follow. */
  end(): void;
}

/**
 * How far a call has come, for a client that asked with a `progressToken`; null for one that did not. What is told only ever rises,
 * and seldom: of what comes too soon the newest is kept and sent later. Source: MCP 2026-07-28, `notifications/progress`.
 */
export function progressReport({ mcpReq }: Pick<ServerContext, 'mcpReq'>): ProgressReport | null {
  const token = mcpReq._meta?.progressToken;
  if (token === undefined) return null;
  let lastSent = -1;
  let pending: Progress | null = null;
  let rest: NodeJS.Timeout | null = null;
  const send = ({ done, total, message }: Progress): void => {
    lastSent = done;
    const params = { progressToken: token, progress: done, message, ...(total === null ? {} : { total }) };
    // A client that is gone hears nothing, and its call is aborted.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  const flush = (): void => {
    rest = null;
    if (pending === null || pending.done <= lastSent) return;
    send(pending);
    pending = null;
    rest = setTimeout(flush, restMs).unref();
  };
  return {
    report(progress) {
      if (progress.done <= (pending?.done ?? lastSent)) return;
      pending = progress;
      if (rest === null) flush();
    },
    end() {
      if (rest !== null) clearTimeout(rest);
      if (pending !== null && pending.done > lastSent) send(pending);
      pending = null;
    },
  };
}
