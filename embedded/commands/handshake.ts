import { Int32 } from 'bson';
import type { Document } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { MAX_DOCUMENT_SIZE } from '../storage/collection.ts';
import { startPlain } from '../wire/auth.ts';
import { MAX_MESSAGE_SIZE } from '../wire/inbox.ts';
import type { Command, Request } from './request.ts';

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

const HELLO_FIELDS = [
  'helloOk',
  'client',
  'compression',
  'loadBalanced',
  'saslSupportedMechs',
  'speculativeAuthenticate',
  'topologyVersion',
  'maxAwaitTimeMS',
  'hostInfo',
  'backpressure',
];

export const hello: Command = { open: true, fields: HELLO_FIELDS, run: identity };

export const ping: Command = { open: true, fields: [], run: () => ({ ok: 1 }) };

export const buildInfo: Command = {
  fields: [],
  run: () => ({
    version: '8.0.0',
    versionArray: [8, 0, 0, 0],
    gitVersion: 'inkgraph-embedded',
    modules: ['inkgraph-embedded'],
    bits: 64,
    debug: false,
    maxBsonObjectSize: MAX_DOCUMENT_SIZE,
    ok: 1,
  }),
};

export const saslStart: Command = {
  open: true,
  fields: ['mechanism', 'payload', 'autoAuthorize', 'options'],
  run: ({ body, service, connection }) => {
    const reply = startPlain(body, service.password);
    connection.authenticated = true;
    return { ...reply, conversationId: new Int32(connection.id) };
  },
};

/** PLAIN ends with its first message, so there is never a conversation to continue. */
export const saslContinue: Command = {
  open: true,
  fields: ['conversationId', 'payload'],
  run: () => {
    throw new MongoFault(17, 'No SASL session state found');
  },
};

export const connectionStatus: Command = {
  open: true,
  fields: ['showPrivileges'],
  run: ({ connection }) => ({
    authInfo: {
      authenticatedUsers: connection.authenticated ? [{ user: 'inkgraph', db: '$external' }] : [],
      authenticatedUserRoles: [],
    },
    ok: 1,
  }),
};

/** Sessions name retryable writes and nothing else here, so ending one releases nothing. */
export const endSessions: Command = { fields: [], run: () => ({ ok: 1 }) };
