import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import { InkgraphError } from '#src/domain/app-error.ts';
import { AckReply, PresignReply } from '#src/contracts/resources/upload.ts';
import { Execution } from '#src/contracts/resources/execution.ts';
import type { Seed } from '#app/compose/seed.ts';
import type { Scan } from '#scripts/topology/scans.ts';

/** A request failed. Nobody retries it here. */
export class FailedRequestError extends InkgraphError {}

export interface StrictParts {
  readonly base: string;
  readonly mcpBase: string;
  readonly seed: Seed;
  /** Hears of each answer. */
  answered(status: number): void;
}

/** Time after the ack in which its execution may not be there yet. */
const soonMs = 5_000;
const pollMs = 100;

/** A client that expects every request to succeed at its first try. */
export class StrictClient {
  readonly #parts: StrictParts;

  constructor(parts: StrictParts) {
    this.#parts = parts;
  }

  /** Uploads and acknowledges. Returns the id of the document. Throws FailedRequestError. */
  async upload({ bytes, contentType }: Scan): Promise<string> {
    const wanted = { contentType, size: bytes.length };
    const { uploadUrl, objectKey } = await this.#post('/api/uploads/presign', wanted, PresignReply);
    await this.#ask(uploadUrl, { method: 'PUT', body: new Uint8Array(bytes) });
    const { document } = await this.#post('/api/uploads/ack', { objectKey }, AckReply);
    return document.id;
  }

  /** Waits until the run of an upload is over: with requests that wait, or by asking often. Throws FailedRequestError. */
  async untilFinished(documentId: string, how: 'waiting' | 'often'): Promise<void> {
    const { base, seed } = this.#parts;
    const path = `/api/service/workflow-executions/${documentId.replace('doc_', 'exec_')}`;
    const url = new URL(how === 'waiting' ? `${path}?wait=20` : path, base);
    const acknowledged = performance.now();
    for (;;) {
      const isSoon = performance.now() - acknowledged < soonMs;
      const response = await this.#ask(url, { headers: { 'x-api-key': seed.serviceKey } }, isSoon ? [404] : []);
      // An execution is made right after the ack was answered.
      if (response.status === 404 || how === 'often') await pause(pollMs);
      if (response.status !== 404 && Execution.parse(JSON.parse(response.text)).finishedAt !== null) return;
    }
  }

  /** Calls a tool over MCP. Throws FailedRequestError. */
  async callTool(name: string): Promise<void> {
    const { mcpBase, seed } = this.#parts;
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'topology', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const { text } = await this.#ask(new URL('/mcp', mcpBase), {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${seed.agentKey}`,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {}, _meta } }),
    });
    if (!text.includes('"result"') || text.includes('"isError":true'))
      throw new FailedRequestError(`the tool ${name} answered ${text.slice(0, 200)}`);
  }

  async #post<Reply>(path: string, body: object, schema: z.ZodType<Reply>): Promise<Reply> {
    const { base, seed } = this.#parts;
    const headers = { 'x-api-key': seed.workflowKey, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    return schema.parse(JSON.parse((await this.#ask(new URL(path, base), init)).text));
  }

  async #ask(
    url: URL | string,
    init: RequestInit,
    allowed: readonly number[] = [],
  ): Promise<{ readonly status: number; readonly text: string }> {
    const about = `${init.method ?? 'GET'} ${new URL(url).pathname}`;
    try {
      const response = await fetch(url, init);
      const { status } = response;
      const text = await response.text();
      this.#parts.answered(status);
      if (!response.ok && !allowed.includes(status))
        throw new FailedRequestError(`${about} was answered with ${status}: ${text.slice(0, 200)}`);
      return { status, text };
    } catch (error) {
      if (error instanceof FailedRequestError) throw error;
      const { cause } = error as { cause?: unknown };
      throw new FailedRequestError(`${about} failed: ${String(error)} (${String(cause)})`);
    }
  }
}
