import { decode, decodeWithout } from '../bson/decode.ts';
import { elements } from '../bson/raw.ts';
import { type Document, isObject } from '../bson/value.ts';
import { failure, CommandError, notImplemented } from '../errors.ts';
import { runOnce, writeIdOf } from '../storage/retryable.ts';
import type { Message } from '../wire/message.ts';
import * as field from './fields.ts';
import type { Command, Connection, Request, Service } from './request.ts';
import { COMMANDS } from './table.ts';

/** `waited`: the client asked to be told later, and may want the next reply too. */
type Answer = (reply: Document, waited?: boolean) => void;

export function dispatch(service: Service, connection: Connection, message: Message, answer: Answer): void {
  try {
    const { body: raw, sequences } = message;
    const [first] = elements(raw);
    const name = first?.name ?? '';
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!command) throw new CommandError(59, `no such command: '${name}'`);
    if (!connection.authenticated && !command.open)
      throw new CommandError(13, `Command ${name} requires authentication`);
    const body = command.rawField ? decodeWithout(raw, command.rawField) : decode(raw);
    const db = typeof body['$db'] === 'string' ? body['$db'] : 'admin';
    if (command.admin && db !== 'admin')
      throw new CommandError(13, `${name} may only be run against the admin database.`);
    submit(command, { service, engine: service.engine, connection, name, db, body, raw, sequences }, answer);
  } catch (error) {
    answer(failure(error as Error));
  }
}

function submit(command: Command, request: Request, answer: Answer): void {
  const { engine, name, body, sequences } = request;
  if ('startTransaction' in body || 'autocommit' in body) {
    const instead = 'write one document atomically instead';
    throw new CommandError(263, `Transactions are not supported by the embedded engine; ${instead}`);
  }
  const given = field.given(body, command.fields, name, name) as field.Generic;
  for (const sequence of sequences.keys())
    if (!Object.hasOwn(command.fields, sequence)) throw field.unknownField(`${name}.${sequence}`);
  checkGeneric(given, command, name);
  const run = (): Document => command.run(request, given);
  // The handshake does not queue behind a long batch, so the driver's monitor does not take a busy engine for a dead one.
  if (command.open) return answerOpen(request, command.waitMs?.(request, given) ?? 0, run, answer);
  const write = typeof command.write === 'function' ? command.write(body) : command.write === true;
  const once = given.txnNumber === undefined ? undefined : writeIdOf(body);
  const { durable, unmet } = concernOf(given.writeConcern, write ? undefined : name);
  engine.submit({
    write,
    durable,
    maxTimeMS: given.maxTimeMS ?? 0,
    run: once ? () => runOnce(engine.database, once, run) : run,
    done: unmet ? (reply) => answer({ ...reply, writeConcernError: unmet }) : answer,
    failed: (error) => answer(failure(error)),
  });
}

/** A second waiting reply of a connection is given at once, so that a stranger holds one timer at most. */
function answerOpen({ connection }: Request, waitMs: number, run: () => Document, answer: Answer): void {
  if (waitMs === 0 || connection.waiting) return answer(run());
  connection.waiting = setTimeout(() => {
    connection.waiting = null;
    answer(run(), true);
  }, waitMs);
}

const LEVELS = new Set<unknown>(['local', 'available', 'majority', 'linearizable', undefined]);
const MAX_TIME_MS = 2 ** 31 - 1;

/** API version 1. */
const STABLE = new Set(
  `hello ping endSessions find getMore killCursors count aggregate explain insert update delete findAndModify bulkWrite create
  drop dropDatabase listCollections listDatabases createIndexes listIndexes dropIndexes`.split(/\s+/),
);

function checkGeneric(given: field.Generic, { retryable }: Command, name: string): void {
  const { readConcern = {}, maxTimeMS = 0, apiVersion, apiStrict, apiDeprecationErrors } = given;
  if (given.txnNumber !== undefined && !retryable) {
    const where = 'multi-document transactions and retryable write commands';
    throw new CommandError(50768, `txnNumber may only be provided for ${where}, which ${name} is not`);
  }
  if (!(maxTimeMS >= 0 && maxTimeMS <= MAX_TIME_MS))
    throw new CommandError(2, `${maxTimeMS} value for maxTimeMS is out of range [0, ${MAX_TIME_MS}]`);
  if (readConcern['level'] === 'snapshot' || 'atClusterTime' in readConcern)
    throw notImplemented('readConcern snapshot');
  if (!LEVELS.has(readConcern['level']))
    throw new CommandError(9, "readConcern.level must be one of 'local', 'majority', 'linearizable' and 'available'");
  if (apiVersion === undefined && (apiStrict !== undefined || apiDeprecationErrors !== undefined))
    throw new CommandError(72, 'Provided apiStrict or apiDeprecationErrors without passing apiVersion');
  if (apiVersion !== undefined && apiVersion !== '1') throw new CommandError(322, 'API version must be "1"');
  if (apiStrict && !STABLE.has(name))
    throw new CommandError(323, `Provided apiStrict:true, but the command ${name} is not in API Version 1.`);
}

const CONCERN = {
  ...field.all(field.anything, 'w', 'provenance'),
  ...field.all(field.flag, 'j', 'fsync'),
  wtimeout: field.number,
};

/**
 * A write waits for the disk unless it says outright that it need not: `{ w: 1, j: false }`, or `w: 0`. More members than
 * there are is an error of the concern, beside the write that was done.
 */
function concernOf(concern: Document | undefined, reading?: string): { durable: boolean; unmet?: Document } {
  if (!concern) return { durable: reading === undefined };
  if (reading) throw new CommandError(72, `Command ${reading} does not support writeConcern`);
  const { w = 'majority', j } = field.given(concern, CONCERN, 'writeConcern');
  if (isObject(w)) throw notImplemented('A writeConcern by tags');
  if (typeof w === 'string') {
    if (w === 'majority') return { durable: true };
    return {
      durable: true,
      unmet: shortfall(79, `No write concern mode named '${w}' found in replica set configuration`),
    };
  }
  const members = field.number(w, 'writeConcern.w') ?? 1;
  if (members < 0 || members > 50)
    throw new CommandError(9, 'w has to be a non-negative number and not greater than 50');
  if (members > 1) return { durable: true, unmet: shortfall(100, 'Not enough data-bearing nodes') };
  return { durable: members === 1 ? j !== false : j === true };
}

function shortfall(code: number, errmsg: string): Document {
  return { code, codeName: new CommandError(code, '').codeName, errmsg, errInfo: {} };
}
