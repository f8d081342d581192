import { configuredHost, readTarget, type Policy } from '#src/adapters/outbound/target.ts';
import type { Outbound, OutboundRequest } from '#src/domain/ports/outbound.ts';
import type { Tracer } from '#src/domain/ports/tracer.ts';

function withTrace(request: OutboundRequest, tracer: Tracer): OutboundRequest {
  const trace = tracer.current();
  // The author of a workflow may have chosen one.
  const has = Object.keys(request.headers).some((name) => name.toLowerCase() === 'traceparent');
  return trace === null || has ? request : { ...request, headers: { ...request.headers, ...trace } };
}

/**
 * Gives each call a span, and tells the trace to hosts that the operator configured: others would learn which of their calls belong
 * together, and when requests began.
 */
export function createTracedOutbound(outbound: Outbound, policy: Policy, tracer: Tracer): Outbound {
  return {
    ...outbound,
    send(request) {
      const target = readTarget(policy, request.url);
      // The call itself refuses it.
      if ('refused' in target) return outbound.send(request);
      const host = configuredHost(policy, target);
      const attributes = {
        'http.request.method': request.method,
        'server.port': target.port,
        // A host that a user wrote, or a template filled, can hold a secret or words of a document.
        ...(host !== null && { 'server.address': host }),
      };
      return tracer.inSpan({ name: request.method, kind: 'client', attributes }, async (span) => {
        const answer = await outbound.send(host === null ? request : withTrace(request, tracer));
        span.set({ 'http.response.status_code': answer.status });
        if (answer.status >= 400) span.end(String(answer.status));
        return answer;
      });
    },
  };
}
