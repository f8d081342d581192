import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';

/**
 * Moves the ids of the server's own requests on a connected transport. The SDK counts them from 0 for each server, so an answer to a question
 * of an earlier process would fit one of this process.
 */
export function moveRequests(transport: Transport, by: number): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => send(outgoing(message, by), options);
  const deliver = transport.onmessage;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- transports of the SDK have this form only
  transport.onmessage = (message, extra) => deliver?.(incoming(message, by), extra);
}

function outgoing(message: JSONRPCMessage, by: number): JSONRPCMessage {
  if (!('method' in message)) return message;
  if ('id' in message) return typeof message.id === 'number' ? { ...message, id: message.id + by } : message;
  const requestId = message.params?.['requestId'];
  if (message.method !== 'notifications/cancelled' || typeof requestId !== 'number') return message;
  return { ...message, params: { ...message.params, requestId: requestId + by } };
}

function incoming(message: JSONRPCMessage, by: number): JSONRPCMessage {
  return 'method' in message || typeof message.id !== 'number' ? message : { ...message, id: message.id - by };
}
