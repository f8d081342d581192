import { rawDocuments, rawField } from '../bson/raw.ts';
import { type Document, Kind } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { typeName } from '../query/type-names.ts';
import type { Collection } from '../storage/collection.ts';
import type { Engine } from '../storage/engine.ts';
import { type Fields, type Generic, GENERIC, type Given, missing } from './fields.ts';

/** State that the commands of one engine share. */
export interface Service {
  engine: Engine;
  password: string;
  address: string;
  connections: { current: number; totalCreated: number };
}

export interface Connection {
  id: number;
  /** The client's address and port. */
  peer: string;
  authenticated: boolean;
  /** Reply that waits for its time; null when there is none. A connection has one at most. */
  waiting: NodeJS.Timeout | null;
}

export interface Request {
  service: Service;
  engine: Engine;
  connection: Connection;
  name: string;
  db: string;
  body: Document;
  raw: Uint8Array;
  sequences: Map<string, Uint8Array[]>;
}

interface Spec<F extends Fields> {
  /** The fields it takes beside the generic ones; any other is refused. */
  fields?: F;
  /** Shares the transaction of its batch, and waits for the disk. A function looks at the command first. */
  write?: boolean | ((body: Document) => boolean);
  /** May carry a txnNumber, and is then done once. */
  retryable?: boolean;
  /** May be sent before authentication. */
  open?: boolean;
  /** Milliseconds that the reply of an open command waits. A waiting command streams its replies to a client that takes several. */
  waitMs?(request: Request, given: Given<F> & Generic): number;
  /** Only on the database `admin`. */
  admin?: boolean;
  /** A field whose documents are taken as raw bytes and not parsed with the body. */
  rawField?: string;
  run(request: Request, given: Given<F> & Generic): Document;
}

export type Command = Spec<Fields> & { fields: Fields };

/** Declares a command. The type of the options that `run` receives follows from `fields`. */
export function command<F extends Fields>(spec: Spec<F>): Command {
  return { ...spec, fields: { ...GENERIC, ...spec.fields } };
}

export function collectionName({ body, name, db }: Request): string {
  const collection = body[name];
  if (typeof collection !== 'string')
    throw new CommandError(73, `collection name has invalid type ${typeName(collection)} for ${name}`);
  if (collection === '') throw new CommandError(73, `Invalid namespace specified '${db}.'`);
  return collection;
}

export function namespaceOf(request: Request): string {
  return `${request.db}.${collectionName(request)}`;
}

export function collectionOf(request: Request): Collection | undefined {
  return request.engine.catalog.find(request.db, collectionName(request));
}

export function existing(request: Request): Collection {
  const collection = collectionOf(request);
  if (!collection) throw new CommandError(26, `ns does not exist: ${namespaceOf(request)}`);
  return collection;
}

/** The documents of an array field, from the body or from a kind-1 section. */
export function documentsOf({ name, raw, sequences }: Request, field: string): Uint8Array[] {
  const sequence = sequences.get(field);
  if (sequence) return sequence;
  const inBody = rawField(raw, field);
  if (inBody?.type !== Kind.array) throw missing(`${name}.${field}`);
  return rawDocuments(inBody.bytes);
}
