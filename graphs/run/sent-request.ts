import { preview } from '#graphs/engine/preview.ts';
import type { NodeDeps } from '#graphs/node-deps.ts';
import type { ChatRequest } from '#src/domain/ports/chat-model.ts';
import type { OutboundRequest } from '#src/domain/ports/outbound.ts';
import type { PreparedNode } from '#graphs/run/prepare-node.ts';

/** Headers that hold credentials even without `$secret`. */
const credentials = /auth|cookie|token|secret|key|password|signature/i;

const masked = '[redacted]';

/** Parameters of an address that hold credentials. */
const secretParameters = /([?&][^=&#]*(?:auth|token|secret|key|password|signature)[^=&#]*=)[^&#]*/gi;

function shownHeaders(headers: OutboundRequest['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, credentials.test(name) ? masked : value]),
  );
}

/** Keeps the last request of an attempt to a model or an address, so that the step of a failed attempt can show it without secrets. */
export class SentRequest {
  #last: Readonly<Record<string, unknown>> | null = null;

  /** Dependencies whose model and outbound calls pass by here. */
  through(deps: NodeDeps): NodeDeps {
    const chat = (): NodeDeps['chat'] => this.#chat(deps.chat);
    const outbound = (): NodeDeps['outbound'] => this.#outbound(deps.outbound);
    // Getters: most nodes use neither.
    return Object.defineProperties(
      { ...deps },
      { chat: { get: chat, enumerable: true }, outbound: { get: outbound, enumerable: true } },
    );
  }

  #chat(chat: NodeDeps['chat']): NodeDeps['chat'] {
    return {
      label: chat.label,
      delimit: (name, text) => chat.delimit(name, text),
      complete: (request) => {
        this.#last = chatRequest(request, chat.label);
        return chat.complete(request);
      },
    };
  }

  #outbound(outbound: NodeDeps['outbound']): NodeDeps['outbound'] {
    return {
      refuses: (url) => outbound.refuses(url),
      send: (request) => {
        const { method, url, headers, body } = request;
        const shownUrl = url.replaceAll(secretParameters, `$1${masked}`);
        const text = body === undefined ? {} : { body: typeof body === 'string' ? body : `(${body.length} bytes)` };
        this.#last = { method, url: shownUrl, headers: shownHeaders(headers), ...text };
        return outbound.send(request);
      },
    };
  }

  /** JSON text of at most 4 KiB. Undefined if nothing was sent. */
  shown(ready: Pick<PreparedNode, 'redact' | 'conceal'>): string | undefined {
    return this.#last === null ? undefined : previewOf(this.#last, ready);
  }
}

/** JSON text of at most 4 KiB, without secrets. */
export function previewOf(value: unknown, { redact, conceal }: Pick<PreparedNode, 'redact' | 'conceal'>): string {
  if (redact === null || conceal === null) return preview(value);
  // Redacts before cutting: half a secret is not recognized.
  return preview(conceal(mapStrings(value, redact)));
}

function chatRequest({ messages, model, temperature, schema, tools }: ChatRequest, label: string | null) {
  return {
    model: model ?? label,
    ...(temperature !== undefined && { temperature }),
    messages,
    ...(schema !== undefined && { schema: schema.schema }),
    ...(tools !== undefined && { tools: tools.map(({ name }) => name) }),
  };
}

/** Applies `change` to every string value of a JSON value, but not to member names. */
export function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapStrings(member, change)]));
}
