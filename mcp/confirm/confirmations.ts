import { createHmac, type KeyObject } from 'node:crypto';
import {
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type InputRequiredResult,
  type RequestStateCodec,
  type ClientCapabilities,
} from '@modelcontextprotocol/server';
import { canonicalHash, sha256Hex } from '#src/domain/canonical-json.ts';
import { callerIdOf } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { AnyTool, ToolContext } from '#tools/define.ts';
import { mayAsk, questionBefore } from '#mcp/confirm/questions.ts';
import type { Exchange } from '#mcp/tool.ts';

/** True when the client can show a form to its user. `elicitation: {}` means that, too. Source: MCP 2025-11-25, elicitation. */
export function canAsk({ elicitation }: ClientCapabilities): boolean {
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

/** Time that a user may take. */
const ttlSeconds = 10 * 60;
const key = 'confirm';

const requestedSchema = {
  type: 'object' as const,
  properties: { confirm: { type: 'boolean' as const, title: 'Confirm', default: false } },
  required: ['confirm'],
};

/** Content of the sealed state. Hashes only, since the client carries it. */
interface Sealed {
  /** Hash of caller, tool and input. */
  readonly call: string;
  /** Hash of the question. */
  readonly said: string;
}

function callHash(tool: AnyTool, { principal }: ToolContext, input: Readonly<Record<string, unknown>>): string {
  return canonicalHash(['mcp confirmation', principal.organizationId, callerIdOf(principal), tool.name, input]);
}

function invalidState(): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'Invalid or expired requestState. Nothing was changed. Call the tool again without requestState.',
    { reason: 'invalid_request_state' },
  );
}

/**
 * Asks the user before a call that destroys or publishes, where the client can. Nothing is stored: the client returns a sealed state that
 * fits one caller, tool, input and question for ten minutes. Any replica with the same secret can open it. Source: MCP 2026-07-28, "Multi
 * Round-Trip Requests".
 */
export class Confirmations {
  readonly #codec: RequestStateCodec<Sealed>;

  /** `secret`: the same in all replicas. The sealing key is derived from it. */
  constructor(secret: Buffer | KeyObject) {
    const sealing = createHmac('sha256', secret).update('mcp confirmation').digest();
    this.#codec = createRequestStateCodec<Sealed>({ key: sealing, ttlSeconds });
  }

  /**
   * Returns the question to respond with; null: carry out the call. Errors: `request.not_confirmed`; a `ProtocolError` for a state of
   * another call.
   */
  async ask(
    tool: AnyTool,
    ctx: ToolContext,
    input: Readonly<Record<string, unknown>>,
    { sdk, capabilities }: Exchange,
  ): Promise<InputRequiredResult | null> {
    if (!mayAsk(tool)) return null;
    const state = sdk.mcpReq.requestState<string>();
    const call = callHash(tool, ctx, input);
    const sealed = state === undefined ? null : await this.#open(state, call, sdk);
    if (!canAsk(capabilities)) return null;
    if (sealed !== null) requireYes(sdk.mcpReq.inputResponses);
    const message = await questionBefore(tool, ctx, input);
    // A confirmation counts for the question that was shown. If that changed meanwhile, the user is asked again.
    if (message === null || sealed?.said === sha256Hex(message)) return null;
    return inputRequired({
      inputRequests: { [key]: inputRequired.elicit({ message, requestedSchema }) },
      requestState: await this.#codec.mint({ call, said: sha256Hex(message) }),
    });
  }

  async #open(state: string, call: string, sdk: Exchange['sdk']): Promise<Sealed> {
    let sealed: Sealed;
    try {
      sealed = await this.#codec.verify(state, sdk);
    } catch (error) {
      throw Object.assign(invalidState(), { cause: error });
    }
    if (sealed.call !== call) throw invalidState();
    return sealed;
  }
}

function requireYes(responses: Record<string, unknown> | undefined): void {
  const response = inputResponse(responses, key);
  const said = response.kind === 'elicit' && response.action === 'accept' ? response.content?.['confirm'] : false;
  if (said === true) return;
  throw new AppError('request.not_confirmed', 'The user did not confirm this call. Nothing was changed.');
}
