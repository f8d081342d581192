import type { ServerContext } from '@modelcontextprotocol/server';
import type { Progress } from '#tools/define.ts';

/** Time between two notifications of one request, in milliseconds. */
const restMs = 200;

interface ProgressReport {
  readonly report: (progress: Progress) => void;
  /** Sends the pending notification: none may follow the response. */
  end(): void;
}

/**
 * Reports progress to a client that sent a `progressToken`; null without one. Values only rise, and are sent at intervals: the newest value
 * in between is kept and sent later. Source: MCP 2026-07-28, `notifications/progress`.
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
    // A disconnected client gets nothing, and its call is aborted.
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
