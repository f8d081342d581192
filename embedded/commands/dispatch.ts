import { decode, decodeWithout } from '../bson/decode.ts';
import { elements } from '../bson/raw.ts';
import { type Document, isObject } from '../bson/value.ts';
import { failure, MongoFault, notImplemented } from '../fault.ts';
import { runOnce, writeIdOf } from '../storage/retryable.ts';
import type { Message } from '../wire/message.ts';
import {
  anything,
  type Command,
  complete,
  type Connection,
  flag,
  type Generic,
  GENERIC,
  given,
  number,
  type Request,
  type Service,
} from './request.ts';
import { COMMANDS } from './table.ts';

const CONCERN = { w: anything, j: flag, wtimeout: number, fsync: flag, provenance: anything };
const MAX_TIME_MS = 2 ** 31 - 1;

export function dispatch(
  service: Service,
  connection: Connection,
  message: Message,
  answer: (reply: Document) => void,
): void {
  try {
    const [first] = elements(message.body);
    const name = first?.name ?? '';
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!command) throw new MongoFault(59, `no such command: '${name}'`);
    if (!connection.authenticated && !command.open) throw new MongoFault(13, `Command ${name} requires authentication`);
    const body = command.rawField ? decodeWithout(message.body, command.rawField) : decode(message.body);
    const db = typeof body['$db'] === 'string' ? body['$db'] : 'admin';
    if (command.admin && db !== 'admin')
      throw new MongoFault(13, `${name} may only be run against the admin database.`);
    const { raw, sequences } = { raw: message.body, sequences: message.sequences };
    submit(command, { service, engine: service.engine, connection, name, db, body, raw, sequences }, answer);
  } catch (error) {
    answer(failure(error as Error));
  }
}

function submit(command: Command, request: Request, answer: (reply: Document) => void): void {
  const { engine, body } = request;
  const { own, generic } = fieldsOf(command, request);
  const run = (): Document => command.run(request, own);
  // The handshake does not queue behind a long batch, so the driver's monitor does not take a busy engine for a dead one.
  if (command.open) return answer(run());
  const write = typeof command.write === 'function' ? command.write(body) : command.write === true;
  const once = generic.txnNumber === undefined ? undefined : writeIdOf(body);
  const concern = concernOf(generic.writeConcern, write ? undefined : request.name);
  engine.submit({
    write,
    durable: concern.durable,
    maxTimeMS: maxTimeOf(generic.maxTimeMS),
    run: once ? () => runOnce(engine.database, once, run) : run,
    done: concern.unmet ? (reply) => answer({ ...reply, writeConcernError: concern.unmet }) : answer,
    failed: (error) => answer(failure(error)),
  });
}

function maxTimeOf(ms = 0): number {
  if (ms >= 0 && ms <= MAX_TIME_MS) return ms;
  throw new MongoFault(2, `${ms} value for maxTimeMS is out of range [0, ${MAX_TIME_MS}]`);
}

/** One pass over the body: the command's own fields by its table, the generic ones by theirs. */
function fieldsOf(command: Command, { name, body, sequences }: Request): { own: Document; generic: Generic } {
  if ('startTransaction' in body || 'autocommit' in body) {
    throw new MongoFault(
      263,
      'Transactions are not supported by the embedded engine; write one document atomically instead',
    );
  }
  const { fields } = command;
  const own: Document = {};
  const generic: Document = {};
  let first = true;
  for (const field in body) {
    const value = body[field];
    if (first) first = false;
    else if (Object.hasOwn(fields, field)) own[field] = fields[field]?.(value, `${name}.${field}`);
    else if (Object.hasOwn(GENERIC, field)) generic[field] = GENERIC[field as keyof Generic](value, field);
    else if (command.anyField) own[field] = value;
    else throw unknownField(name, field);
  }
  for (const field of sequences.keys()) if (!Object.hasOwn(fields, field)) throw unknownField(name, field);
  checkGeneric(generic as Generic, command, name);
  return { own: complete(own, fields, name), generic: generic as Generic };
}

function unknownField(name: string, field: string): MongoFault {
  return new MongoFault(40415, `BSON field '${name}.${field}' is an unknown field.`);
}

const LEVELS = new Set(['local', 'available', 'majority', 'linearizable', undefined]);

function checkGeneric(generic: Generic, { retryable, stable }: Command, name: string): void {
  const { readConcern, apiVersion, apiStrict, apiDeprecationErrors, txnNumber } = generic;
  if (txnNumber !== undefined && !retryable) {
    throw new MongoFault(
      50768,
      `txnNumber may only be provided for multi-document transactions and retryable write commands, which ${name} is not`,
    );
  }
  if (readConcern) {
    const { level } = readConcern;
    if (level === 'snapshot' || 'atClusterTime' in readConcern) throw notImplemented('readConcern snapshot');
    if (!LEVELS.has(level as string)) {
      throw new MongoFault(
        9,
        `readConcern.level must be either 'local', 'majority', 'linearizable', 'available', or 'snapshot'`,
      );
    }
  }
  if (apiVersion === undefined) {
    if (apiStrict !== undefined || apiDeprecationErrors !== undefined)
      throw new MongoFault(72, 'Provided apiStrict or apiDeprecationErrors without passing apiVersion');
  } else if (apiVersion !== '1') throw new MongoFault(322, 'API version must be "1"');
  else if (apiStrict && !stable) {
    throw new MongoFault(323, `Provided apiStrict:true, but the command ${name} is not in API Version 1.`);
  }
}

/**
 * A write waits for the disk unless it says outright that it need not: `{ w: 1, j: false }`, or `w: 0`. More members than
 * there are is an error of the concern, beside the write that was done.
 */
function concernOf(concern: Document | undefined, reading?: string): { durable: boolean; unmet?: Document } {
  if (!concern) return { durable: reading === undefined };
  if (reading) throw new MongoFault(72, `Command ${reading} does not support writeConcern`);
  const { w = 'majority', j } = given(concern, CONCERN, 'writeConcern');
  if (isObject(w)) throw notImplemented('A writeConcern by tags');
  if (typeof w === 'string') {
    if (w === 'majority') return { durable: true };
    return { durable: true, unmet: unmet(79, `No write concern mode named '${w}' found in replica set configuration`) };
  }
  const members = number(w, 'writeConcern.w') ?? 1;
  if (members < 0 || members > 50) throw new MongoFault(9, 'w has to be a non-negative number and not greater than 50');
  if (members > 1) return { durable: true, unmet: unmet(100, 'Not enough data-bearing nodes') };
  return { durable: members === 1 ? j !== false : j === true };
}

function unmet(code: number, errmsg: string): Document {
  return { code, codeName: new MongoFault(code, '').codeName, errmsg, errInfo: {} };
}
