import { Long, ObjectId } from 'bson';
import { type Document, isObject } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { MAX_DOCUMENT_SIZE } from '../storage/collection.ts';
import { startPlain } from '../wire/auth.ts';
import { MAX_MESSAGE_SIZE } from '../wire/inbox.ts';
import * as field from './fields.ts';
import { command, type Request } from './request.ts';

/** Changes with each start of the engine; what a client knows of this one stays true until it ends. */
const topologyVersion = { processId: new ObjectId(), counter: Long.fromNumber(0) };

/** Shorter waits would let a client keep the engine busy with replies. */
const SHORTEST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;

/**
 * A one-member replica set of wire version 25 ("8.0"): what the driver wants to see before it retries writes. Its topologyVersion lets
 * a driver wait for a stream of replies, so that it sees the end of the engine at once.
 */
function identity({ service: { address }, connection, body }: Request): Document {
  return {
    isWritablePrimary: true,
    ismaster: true,
    helloOk: true,
    setName: 'inkgraph',
    setVersion: 1,
    secondary: false,
    hosts: [address],
    primary: address,
    me: address,
    maxBsonObjectSize: MAX_DOCUMENT_SIZE,
    maxMessageSizeBytes: MAX_MESSAGE_SIZE,
    maxWriteBatchSize: 100_000,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: 30,
    connectionId: connection.id,
    minWireVersion: 0,
    maxWireVersion: 25,
    readOnly: false,
    topologyVersion,
    ...(body['saslSupportedMechs'] !== undefined && { saslSupportedMechs: ['PLAIN'] }),
    ok: 1,
  };
}

export const hello = command({
  open: true,
  // The client's metadata changes nothing. A speculative authentication is ignored: the driver repeats it as saslStart.
  fields: {
    ...field.all(field.object, 'client', 'speculativeAuthenticate', 'topologyVersion'),
    ...field.all(field.text, 'saslSupportedMechs', 'hostInfo'),
    helloOk: field.flag,
    compression: field.array,
    maxAwaitTimeMS: field.number,
    backpressure: field.anything,
    ...field.without('loadBalanced'),
  },
  run: identity,
  waitMs: (_, { topologyVersion: known, maxAwaitTimeMS }) => {
    const process = isObject(known) ? known['processId'] : undefined;
    if (maxAwaitTimeMS === undefined || !(process instanceof ObjectId) || !topologyVersion.processId.equals(process))
      return 0;
    return Math.min(Math.max(maxAwaitTimeMS, SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
  },
});

export { hello as isMaster, hello as ismaster };

export const ping = command({ open: true, run: () => ({ ok: 1 }) });

export const saslStart = command({
  open: true,
  fields: { mechanism: field.text, ...field.all(field.anything, 'payload', 'autoAuthorize'), options: field.object },
  run: ({ body, service, connection }) => {
    const reply = startPlain(body, service.password);
    connection.authenticated = true;
    return { ...reply, conversationId: connection.id };
  },
});

/** PLAIN ends with its first message, so there is never a conversation to continue. */
export const saslContinue = command({
  open: true,
  fields: field.all(field.anything, 'conversationId', 'payload'),
  run: () => {
    throw new CommandError(17, 'No SASL session state found');
  },
});

/** Sessions name retryable writes and nothing else here, so ending one releases nothing. */
export const endSessions = command({ run: () => ({ ok: 1 }) });
