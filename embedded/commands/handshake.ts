import type { Document } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { MAX_DOCUMENT_SIZE } from '../storage/collection.ts';
import { startPlain } from '../wire/auth.ts';
import { MAX_MESSAGE_SIZE } from '../wire/inbox.ts';
import { anything, array, command, flag, number, object, type Request, text, without } from './request.ts';

/**
 * A one-member replica set of wire version 25 ("8.0"): what the driver wants to see before it retries writes. Without a
 * topologyVersion the driver polls hello and asks for no stream of them.
 */
function identity({ service, connection, body }: Request): Document {
  const { address } = service;
  const me: Document = {
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
    ok: 1,
  };
  return body['saslSupportedMechs'] === undefined ? me : { ...me, saslSupportedMechs: ['PLAIN'] };
}

export const hello = command({
  open: true,
  stable: true,
  // What a client says about itself changes nothing; a speculative authentication is one to repeat by saslStart.
  fields: {
    helloOk: flag,
    client: object,
    compression: array,
    ...without('loadBalanced'),
    saslSupportedMechs: text,
    speculativeAuthenticate: object,
    topologyVersion: object,
    maxAwaitTimeMS: number,
    hostInfo: text,
    backpressure: anything,
  },
  run: identity,
});

export const ping = command({ open: true, stable: true, fields: {}, run: () => ({ ok: 1 }) });

export const saslStart = command({
  open: true,
  fields: { mechanism: text, payload: anything, autoAuthorize: anything, options: object },
  run: ({ body, service, connection }) => {
    const reply = startPlain(body, service.password);
    connection.authenticated = true;
    return { ...reply, conversationId: connection.id };
  },
});

/** PLAIN ends with its first message, so there is never a conversation to continue. */
export const saslContinue = command({
  open: true,
  fields: { conversationId: anything, payload: anything },
  run: () => {
    throw new MongoFault(17, 'No SASL session state found');
  },
});

/** Sessions name retryable writes and nothing else here, so ending one releases nothing. */
export const endSessions = command({ stable: true, fields: {}, run: () => ({ ok: 1 }) });
