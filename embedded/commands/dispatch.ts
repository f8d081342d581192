import { decodeWithout, elements } from '../bson/raw.ts';
import { decode, type Document, isObject, kindOf, Kind, numeric } from '../bson/value.ts';
import { MongoFault, notImplemented } from '../fault.ts';
import { runOnce, writeIdOf } from '../storage/retryable.ts';
import type { Message } from '../wire/message.ts';
import { checkCollation } from '../query/collation.ts';
import { failure } from './failure.ts';
import type { Command, Connection, Request, Service } from './request.ts';
import { COMMANDS } from './table.ts';

/** Fields any command may carry, and that change nothing here. */
const GENERIC = new Set([
  '$db',
  '$readPreference',
  '$clusterTime',
  '$audit',
  '$client',
  '$configServerState',
  'apiVersion',
  'apiStrict',
  'apiDeprecationErrors',
  'comment',
  'lsid',
  'maxTimeMS',
  'readConcern',
  'txnNumber',
  'writeConcern',
]);

export function dispatch(
  service: Service,
  connection: Connection,
  message: Message,
  answer: (reply: Document) => void,
): void {
  try {
    const [first] = elements(message.body);
    const command = COMMANDS[first?.name ?? ''];
    if (!first || !command) throw new MongoFault(59, `no such command: '${first?.name ?? ''}'`);
    if (!connection.authenticated && command.open !== true) {
      throw new MongoFault(13, `Command ${first.name} requires authentication`);
    }
    const body = command.rawField ? decodeWithout(message.body, command.rawField) : decode(message.body);
    const db = typeof body['$db'] === 'string' ? body['$db'] : 'admin';
    const request: Request = {
      service,
      engine: service.engine,
      connection,
      name: first.name,
      db,
      body,
      raw: message.body,
      sequences: message.sequences,
    };
    checkFields(command, request);
    submit(command, request, answer);
  } catch (error) {
    answer(failure(error as Error));
  }
}

function submit(command: Command, request: Request, answer: (reply: Document) => void): void {
  const { engine, body } = request;
  // The handshake does not queue behind a long batch, so the driver's monitor does not take a busy engine for a dead one.
  if (command.open) return answer(command.run(request));
  const write = command.write === true ? writeIdOf(body) : undefined;
  engine.submit({
    write: command.write === true,
    durable: command.write === true && isDurable(body['writeConcern']),
    run: () => (write ? runOnce(engine.database, write, () => command.run(request)) : command.run(request)),
    done: answer,
    failed: (error) => answer(failure(error)),
  });
}

function checkFields(command: Command, { name, body, sequences }: Request): void {
  if ('startTransaction' in body || 'autocommit' in body) {
    throw new MongoFault(
      263,
      'Transactions are not supported by the embedded engine; write one document atomically instead',
    );
  }
  for (const field of [...Object.keys(body).slice(1), ...sequences.keys()]) {
    if (GENERIC.has(field) || command.fields.includes(field)) continue;
    if (field === 'collation') checkCollation(body[field]);
    else if (field === 'let' && isObject(body[field]) && Object.keys(body[field]).length === 0) continue;
    else throw new MongoFault(40415, `BSON field '${name}.${field}' is an unknown field.`);
  }
  checkReadConcern(body['readConcern']);
}

function checkReadConcern(concern: unknown): void {
  if (isObject(concern) && concern['level'] === 'snapshot') throw notImplemented('readConcern snapshot');
}

/** A write waits for the disk unless it says outright that it need not: `{ w: 1, j: false }`, or `w: 0`. */
function isDurable(concern: unknown): boolean {
  if (!isObject(concern) || kindOf(concern['w']) !== Kind.int) return true;
  const w = Number(numeric(concern['w']));
  return w !== 0 && !(w === 1 && concern['j'] === false);
}
