import {
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type InputRequest,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { McpTool } from '#mcp/tool.ts';
import { fixture, text } from './fixture.ts';

type Field = 'name' | 'color' | 'context';
interface Round {
  readonly tool: string;
  readonly round: number;
}

export function askFor(field: Field): InputRequest {
  return inputRequired.elicit({
    message: `What ${field} is it?`,
    requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
  });
}

const askToConfirm = inputRequired.elicit({
  message: 'Please confirm',
  requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
});

function askModel(question: string): InputRequest {
  return inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: question } }],
    maxTokens: 50,
  });
}

/** Answer in the field, if it has the shape that was asked for. */
export function answered({ mcpReq }: ServerContext, key: string, field: Field): string | null {
  const value = acceptedContent(mcpReq.inputResponses, key)?.[field];
  return typeof value === 'string' ? value : null;
}

/** State that goes through the client and back, sealed: what fails its seal is refused like any invalid parameter. */
export class SealedRounds {
  readonly #codec = createRequestStateCodec<Round>({ key: crypto.getRandomValues(new Uint8Array(32)) });

  seal(tool: string, round: number): Promise<string> {
    return this.#codec.mint({ tool, round });
  }

  /** The round of this request: 0 for the first. */
  async open(tool: string, sdk: ServerContext): Promise<number> {
    const sealed = sdk.mcpReq.requestState<string>();
    if (sealed === undefined) return 0;
    let state: Round;
    try {
      state = await this.#codec.verify(sealed, sdk);
    } catch {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The requestState is not one of ours.');
    }
    if (state.tool !== tool)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The requestState is of another.');
    return state.round;
  }
}

const plainTools: readonly McpTool[] = [
  fixture('test_missing_capability', { description: 'Needs a model of the client.' }, ({ sdk }) =>
    inputResponse(sdk.mcpReq.inputResponses, 'answer').kind === 'missing'
      ? inputRequired({ inputRequests: { answer: askModel('Say pong.') } })
      : text('Pong.'),
  ),
  fixture('test_input_required_result_elicitation', { description: 'Asks for a name.' }, ({ sdk }) => {
    const name = answered(sdk, 'user_name', 'name');
    return name === null ? inputRequired({ inputRequests: { user_name: askFor('name') } }) : text(`Hello, ${name}!`);
  }),
  fixture('test_input_required_result_sampling', { description: 'Asks the model.' }, ({ sdk }) => {
    const answer = inputResponse(sdk.mcpReq.inputResponses, 'capital_question');
    return answer.kind === 'sampling'
      ? text(`It said ${JSON.stringify(answer.result.content)}`)
      : inputRequired({ inputRequests: { capital_question: askModel('What is the capital of France?') } });
  }),
  fixture('test_input_required_result_list_roots', { description: 'Asks for the roots.' }, ({ sdk }) => {
    const answer = inputResponse(sdk.mcpReq.inputResponses, 'client_roots');
    return answer.kind === 'roots'
      ? text(`Roots: ${answer.roots.map(({ uri }) => uri).join(', ')}`)
      : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  }),
  fixture(
    'test_input_required_result_capabilities',
    { description: 'Asks only what the client can.' },
    ({ sdk, capabilities }) => {
      if (sdk.mcpReq.inputResponses !== undefined) return text('Thanks.');
      const inputRequests: Record<string, InputRequest> = {
        ...(capabilities.elicitation !== undefined && { user_name: askFor('name') }),
        ...(capabilities.sampling !== undefined && { greeting: askModel('Greet me.') }),
        ...(capabilities.roots !== undefined && { client_roots: inputRequired.listRoots() }),
      };
      return Object.keys(inputRequests).length === 0
        ? text('It can answer nothing.')
        : inputRequired({ inputRequests });
    },
  ),
];

/** Answers once `confirm` came back together with the state that was sealed for this tool. */
function confirmed(name: string, rounds: SealedRounds): McpTool {
  return fixture(name, { description: 'Asks to confirm, with state.' }, async ({ sdk }) => {
    const round = await rounds.open(name, sdk);
    if (round === 1 && acceptedContent(sdk.mcpReq.inputResponses, 'confirm') !== undefined) return text('state-ok');
    return inputRequired({ inputRequests: { confirm: askToConfirm }, requestState: await rounds.seal(name, 1) });
  });
}

function several(rounds: SealedRounds): McpTool {
  const name = 'test_input_required_result_multiple_inputs';
  return fixture(name, { description: 'Asks three things at once.' }, async ({ sdk }) => {
    await rounds.open(name, sdk);
    const { inputResponses } = sdk.mcpReq;
    const who = answered(sdk, 'user_name', 'name');
    const greeting = inputResponse(inputResponses, 'greeting');
    const roots = inputResponse(inputResponses, 'client_roots');
    if (who !== null && greeting.kind === 'sampling' && roots.kind === 'roots')
      return text(`${JSON.stringify(greeting.result.content)} ${who}, ${roots.roots.length} roots`);
    return inputRequired({
      inputRequests: {
        user_name: askFor('name'),
        greeting: askModel('Greet me.'),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await rounds.seal(name, 1),
    });
  });
}

function inRounds(rounds: SealedRounds): McpTool {
  const name = 'test_input_required_result_multi_round';
  return fixture(name, { description: 'Asks twice.' }, async ({ sdk }) => {
    const round = await rounds.open(name, sdk);
    const field = round === 0 ? 'name' : 'color';
    const color = answered(sdk, 'step2', 'color');
    if (round === 2 && color !== null) return text(`It is ${color}.`);
    const next = Math.min(round + 1, 2);
    return inputRequired({
      inputRequests: { [`step${next}`]: askFor(field) },
      requestState: await rounds.seal(name, next),
    });
  });
}

/** Tools that ask the client something before they answer, as 2026-07-28 has it: the same call comes again with the answers. */
export function askingTools(rounds: SealedRounds): readonly McpTool[] {
  return [
    ...plainTools,
    confirmed('test_input_required_result_request_state', rounds),
    confirmed('test_input_required_result_tampered_state', rounds),
    several(rounds),
    inRounds(rounds),
  ];
}
