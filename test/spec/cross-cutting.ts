import { proved } from './requirement.ts';

/** §4.4 Health checks, §5 Authentication, §6 Events, §7 Errors, §8 Limits, §9 Versioning. */
export const crossCutting = [
  ...proved('4.4', {
    'health.api': 'GET /health answers on the API',
    'health.agents': 'GET /health answers on the agents service',
    'health.mcp': 'GET /health answers on the MCP service',
    'health.body': ['Health tells status, service, version, uptime and the state of each dependency', '0014-health'],
    'health.no_key': ['Health needs no credential and shows no secret', '0014-health'],
    'health.down': ['Health answers 503 while a dependency it needs is down', '0014-health'],
  }),
  ...proved('1, 5', {
    'auth.ingestion': 'Addresses under /api/uploads are opened by a workflow key in header x-api-key',
    'auth.service': 'Addresses under /api/service are opened by a service key in header x-api-key',
  }),
  ...proved('5', {
    'auth.ingestion.scope': 'What a workflow key uploads belongs to its organization and project',
    'auth.ingestion.binding': 'The agentGraphId a workflow key carries decides which workflow runs',
    'auth.service.scope': 'A service key sees nothing of other organizations and other projects',
    'auth.family': ['A valid key of the other family answers 403', '0017-api-keys'],
    'auth.header_only': ['A key in the query string does not authenticate', '0017-api-keys'],
    'auth.hash': 'No part of the database holds an API key in clear',
    'auth.each_call': 'Keys are verified on each call: a revoked key is refused at once',
    'auth.device': [
      'A key issued for a device keeps the device in its record and works as one without',
      '0017-api-keys',
    ],
    'auth.idempotency_scope': 'Two service keys can use the same idempotencyKey without meeting',
    'auth.key.format': ['A mistyped key is refused without a look into the database', '0017-api-keys'],
    'auth.key.issue': ['A key is issued from the command line and its secret shown once', '0017-api-keys'],
    'auth.key.rotate': ['A rotated key works on for its grace time and then no more', '0017-api-keys'],
  }),
  ...proved('1, 5', {
    'auth.dashboard': 'Addresses under /api/dashboard are opened by a session cookie',
  }),
  ...proved('5', {
    'auth.session.cookie': 'The session cookie is named app.session_token',
    'auth.session.library': 'The session cookie is issued by the authentication library',
    'auth.session.chat_scope': 'Dashboard chat is scoped to the active organization of the session',
    'auth.session.secondary_store': 'Sessions use a secondary session store',
    'auth.debug.session': 'API_DEBUG=true bootstraps a seeded session',
    'auth.debug.token': 'DASHBOARD_SESSION_TOKEN supplies the token of the seeded session',
  }),
  ...proved('1, 5', {
    'auth.mcp.oauth': 'The MCP service authenticates agents by OAuth',
  }),
  ...proved('5', {
    'auth.mcp.scopes': 'Permission scopes are named, granted by the user, and checked on every call',
  }),
  ...proved('6', {
    'events.upload': 'document/process.upload is emitted once the object is verified and the document created',
    'events.upload.only_ingest': 'Service ack emits no document/process.upload',
    'events.upload.consumer':
      'The agents service consumes document/process.upload and runs the workflow bound to the key',
    'events.upload.payload': [
      'The event carries id, name, ts and the ids of document, key, workflow and execution in data',
      '0013-events-and-outbox',
    ],
    'realtime.segmentation_created': 'The realtime feed publishes segmentation creation',
    'events.upload.durable': [
      'An event emitted before a crash is delivered after it, and only once',
      '0013-events-and-outbox',
    ],
  }),
  ...proved('6', {
    'events.dashboard.document': 'The dashboard document event follows ack on the dashboard path',
    'events.dashboard.consumer': 'The realtime feed consumes the dashboard document event',
    'realtime.document_created': 'The realtime feed publishes document creation',
    'realtime.ocr_created': 'The realtime feed publishes OCR creation',
    'realtime.description_upserted': 'The realtime feed publishes description upsert',
    'realtime.run_created': 'The realtime feed publishes run creation',
    'realtime.run_step_changed': 'The realtime feed publishes run step change',
    'realtime.run_completed': 'The realtime feed publishes run completion',
    'realtime.tabs': 'The realtime feed keeps the Docs and Runs tabs live',
    'realtime.names': ['Each kind of change has one event name', '0013-events-and-outbox'],
    'chat.sources.event': 'The chat stream emits assistant_sources events',
  }),
  ...proved('7', {
    'errors.key_reused': 'An execution idempotencyKey reused with different input answers 409',
    'errors.shape': [
      'Every error is application/problem+json with code, detail and requestId',
      '0003-errors-are-problem-json',
    ],
    'errors.credentials': [
      'Missing, unknown, revoked and expired keys answer 401 with identical bodies',
      '0003-errors-are-problem-json',
    ],
    'errors.unknown_id': [
      'An unknown id and an id of another tenant answer the same 404',
      '0003-errors-are-problem-json',
    ],
    'errors.invalid_body': [
      'An invalid body answers 400 with a pointer to each wrong field',
      '0003-errors-are-problem-json',
    ],
    'errors.malformed_body': ['A body that is not JSON answers 400', '0003-errors-are-problem-json'],
    'errors.object_missing': [
      'Ack of an object that is not there answers 409 upload.object_missing',
      '0003-errors-are-problem-json',
    ],
    'errors.object_mismatch': [
      'Failed object verification answers 422 upload.mismatch and names what differed',
      '0003-errors-are-problem-json',
    ],
    'errors.request_id': ['x-request-id comes back on every answer', '0003-errors-are-problem-json'],
    'errors.no_internals': [
      'An unexpected error answers 500 without stack, path or message',
      '0003-errors-are-problem-json',
    ],
  }),
  ...proved('8', {
    'limits.upload_size': ['A size over the maximum answers 413 at presign', '0005-limits-and-accepted-types'],
    'limits.upload_body': ['A body longer than the signed size is not stored', '0005-limits-and-accepted-types'],
    'limits.page_size': ['limit is 25 by default and outside 1..100 answers 400', '0004-ids-time-and-paging'],
    'limits.rate': ['Over the rate limit answers 429 with Retry-After', '0005-limits-and-accepted-types'],
    'limits.presign_lifetime': [
      'An upload URL stops working when its lifetime is over',
      '0006-presign-reply-and-lifetime',
    ],
    'limits.content_types': ['A media type that is not accepted answers 415', '0005-limits-and-accepted-types'],
    'limits.json_body': ['A JSON body over 1 MiB answers 413', '0005-limits-and-accepted-types'],
    'limits.document_ids': ['More than 500 documentIds answer 400', '0005-limits-and-accepted-types'],
    'limits.initial_state': [
      'initialState over its size or depth, or with forbidden keys, answers 400',
      '0005-limits-and-accepted-types',
    ],
    'limits.pixels': ['An image over 50 megapixels answers 422', '0005-limits-and-accepted-types'],
  }),
  ...proved('9', {
    'service.openapi.contracts': 'openapi.json is generated from the contracts that bind the addresses',
    'service.openapi.live': ['Live replies match openapi.json', '0015-openapi-and-versioning'],
    'service.openapi.version': [
      'openapi.json states OpenAPI 3.1 and the version of the service; paths carry no version',
      '0015-openapi-and-versioning',
    ],
  }),
];
