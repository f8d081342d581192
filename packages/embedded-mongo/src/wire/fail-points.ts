import { EJSON } from 'bson';
import { decode } from '../bson/decode.ts';
import { elements } from '../bson/raw.ts';
import { type Document, isObject } from '../bson/value.ts';
import type { Connection } from '../commands/request.ts';
import { CommandError, failure } from '../errors.ts';
import type { Message } from './message.ts';

/** Codes after which a driver repeats a retryable write, which the server marks with a label. */
const RETRYABLE = new Set([6, 7, 89, 91, 134, 189, 262, 9001, 10_107, 11_600, 11_602, 13_435, 13_436]);
const LABEL = 'RetryableWriteError';
const NAMES: Readonly<Record<string, string>> = {
  findandmodify: 'findAndModify',
  ismaster: 'hello',
  isMaster: 'hello',
};

/** Effect on the next commands that it fits. `left` is undefined while it is always on. */
interface FailPoint {
  left: number | undefined;
  skip: number;
  data: Document;
}

type Answer = (reply: Document, waited?: boolean) => void;

/** One command on its way to the engine. */
interface Passing {
  readonly message: Message;
  readonly connection: Connection;
  /** Runs the command. */
  readonly run: (answer: Answer) => void;
  readonly answer: Answer;
  /** Ends the connection without a reply. */
  readonly close: () => void;
}

interface Sent {
  readonly name: string;
  readonly body: Document;
  readonly isRetryable: boolean;
}

function modeOf(mode: unknown): Pick<FailPoint, 'left' | 'skip'> | null {
  if (mode === 'off') return null;
  if (mode === 'alwaysOn') return { left: undefined, skip: 0 };
  const { times, skip } = isObject(mode) ? mode : {};
  if (times === undefined && skip === undefined)
    throw new CommandError(9, 'mode is off, alwaysOn, { times } or { skip }');
  return { left: times === undefined ? undefined : Number(times), skip: Number(skip ?? 0) };
}

const labelled = (data: Document, code: unknown, isRetryable: boolean): Document => {
  const labels = data['errorLabels'] ?? (isRetryable && RETRYABLE.has(Number(code)) ? [LABEL] : []);
  return Array.isArray(labels) && labels.length > 0 ? { errorLabels: labels } : {};
};

/** The error in the place of a reply. */
function refusal(code: number, why: string, data: Document, isRetryable: boolean): Document {
  return {
    ...failure(new CommandError(code, `Failing command via '${why}' failpoint`)),
    ...labelled(data, code, isRetryable),
  };
}

/**
 * `configureFailPoint` of MongoDB's test servers, for the specifications of drivers: `failCommand` and `onPrimaryTransactionalWrite`. An engine
 * has them only if it is opened with `failPoints: true`; any other engine does not know the command.
 */
export class FailPoints {
  readonly #points = new Map<string, FailPoint>();
  /** Retryable writes that were done: a repetition is no write. */
  readonly #written = new Set<string>();
  readonly #appNames = new WeakMap<Connection, unknown>();

  pass(passing: Passing): void {
    const { message, connection, answer, run } = passing;
    const [first] = elements(message.body);
    const name = first?.name ?? '';
    const body = decode(message.body);
    if (name === 'configureFailPoint' && connection.authenticated) return answer(this.#configure(body));
    const sent = { name: NAMES[name] ?? name, body, isRetryable: body['txnNumber'] !== undefined };
    const { client } = body as { client?: { application?: { name?: unknown } } };
    if (sent.name === 'hello' && client !== undefined) this.#appNames.set(connection, client.application?.name);
    const failed = this.#take('failCommand', (data) => this.#fits(data, sent, connection));
    if (failed !== null) return failCommand(failed, sent, passing);
    const id = EJSON.stringify([body['lsid'], body['txnNumber']]);
    const write = this.#take('onPrimaryTransactionalWrite', () => sent.isRetryable && !this.#written.has(id));
    if (write === null) return run(answer);
    if (write['failBeforeCommitExceptionCode'] === undefined) this.#written.add(id);
    failWrite(write, passing);
  }

  #configure(body: Document): Document {
    try {
      const name = String(body['configureFailPoint']);
      if (name !== 'failCommand' && name !== 'onPrimaryTransactionalWrite')
        throw new CommandError(2, `There is no fail point ${name}. Use failCommand or onPrimaryTransactionalWrite.`);
      const mode = modeOf(body['mode']);
      if (mode === null) this.#points.delete(name);
      else this.#points.set(name, { ...mode, data: (body['data'] as Document | undefined) ?? {} });
      return { ok: 1 };
    } catch (error) {
      return failure(error as Error);
    }
  }

  #fits({ failCommands = [], appName }: Document, { name }: Sent, connection: Connection): boolean {
    const named = (failCommands as readonly string[]).some((one) => (NAMES[one] ?? one) === name);
    return named && (appName === undefined || appName === this.#appNames.get(connection));
  }

  /** Data of a fail point for a command that fits, counted; null: the command passes. */
  #take(name: string, fits: (data: Document) => boolean): Document | null {
    const point = this.#points.get(name);
    if (point === undefined || !fits(point.data)) return null;
    if (point.skip > 0) {
      point.skip -= 1;
      return null;
    }
    if (point.left === undefined) return point.data;
    point.left -= 1;
    if (point.left <= 0) this.#points.delete(name);
    return point.data;
  }
}

function failCommand(data: Document, { isRetryable }: Sent, { run, answer, close }: Passing): void {
  const { blockConnection, blockTimeMS, closeConnection, errorCode, writeConcernError } = data;
  const fail = (): void => {
    if (closeConnection === true) return close();
    if (errorCode !== undefined) return answer(refusal(Number(errorCode), 'failCommand', data, isRetryable));
    if (!isObject(writeConcernError)) return run(answer);
    const { code } = writeConcernError;
    run((reply) =>
      answer(Number(reply['ok']) === 1 ? { ...reply, writeConcernError, ...labelled(data, code, isRetryable) } : reply),
    );
  };
  if (blockConnection === true) setTimeout(fail, Number(blockTimeMS ?? 0));
  else fail();
}

/** Ends the connection of a retryable write once the write is done, or fails it before it is done. */
function failWrite(data: Document, { run, answer, close }: Passing): void {
  const { closeConnection = true, failBeforeCommitExceptionCode: code } = data;
  if (code === undefined) return run((reply) => (closeConnection === true ? close() : answer(reply)));
  if (closeConnection === true) return close();
  answer(refusal(Number(code), 'onPrimaryTransactionalWrite', data, true));
}
