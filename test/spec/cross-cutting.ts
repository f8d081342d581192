import { proved } from './requirement.ts';

/** Health, authentication, events, errors, limits, API description. */
export const crossCutting = [
  ...proved('Health', {
    'health.api': 'GET /health answers on the API',
    'health.agents': 'GET /health answers on the agents service',
    'health.mcp': 'GET /health answers on the MCP service',
    'health.body': ['Health reports status, service, version, uptime and the state of each dependency', '0014-health'],
    'health.no_key': ['Health needs no credential and shows no secret', '0014-health'],
    'health.down': ['Health returns 503 while a required dependency is down', '0014-health'],
    'health.slow_database': [
      'A database that answers too late gets requests 503 with Retry-After, and nothing is lost or done twice',
      '0212-every-reply-has-a-limit-of-time',
    ],
    'health.stopping': [
      'A process that stops is not ready at once, and serves on until load balancers have noticed',
      '0124-draining',
    ],
  }),
  ...proved('Processes', {
    'pages.turns': [
      'Organizations take turns at PDF pages, text recognition and pictures: long pages of one delay no first page of another',
      '0277-organizations-take-turns-at-pages',
    ],
    'pages.waits': [
      'Metrics show how long pages waited for their turn, by the 20 organizations that waited the most',
      '0277-organizations-take-turns-at-pages',
    ],
    'pages.step_clock': [
      'The time in which a step waits for its turn at a page does not count toward its time limit',
      '0277-organizations-take-turns-at-pages',
    ],
    'pages.not_tried_again': [
      'A page that used up its computing time or its memory twice is not read again for its organization, until its decoder changes or a person runs a workflow on it in the dashboard',
      '0278-pages-that-use-up-their-limits',
    ],
    'search.quantization': [
      'VECTOR_QUANTIZATION decides the form in which a server keeps vectors, and health tells it',
      '0223-vectors-may-be-quantized',
    ],
  }),
  ...proved('Events', {
    'events.lost.waiting': [
      'A question that a killed process stored and did not announce is announced once',
      '0224-nothing-that-was-stored-goes-unannounced',
    ],
    'events.lost.record': [
      'A change of a record that a killed process stored and did not announce is announced once',
      '0224-nothing-that-was-stored-goes-unannounced',
    ],
    'events.lost.names': [
      'Names and tags that a killed process stored and did not announce are announced once',
      '0250-changes-by-people-are-announced-too',
    ],
    'events.lost.corrections': [
      'A correction of a text that a killed process stored and did not announce is announced once',
      '0250-changes-by-people-are-announced-too',
    ],
    'events.lost.workflows': [
      'An edit or a publication that a killed process stored and did not announce is announced once',
      '0250-changes-by-people-are-announced-too',
    ],
    'events.lost.created': [
      'A run that a killed process stored and did not announce is announced with its end at the latest',
      '0250-changes-by-people-are-announced-too',
    ],
  }),
  ...proved('Processes', {
    'processes.release_before.reads': [
      'A process takes over the data of the release before: what was stored is read, and what was begun ends',
      '0221-two-releases-side-by-side',
    ],
    'processes.release_before.writes': [
      'A process writes nothing that processes of the release before, which work beside it, cannot read',
      '0221-two-releases-side-by-side',
    ],
    'processes.engine_paused': [
      'While the process that runs the embedded database is paused, services answer 503 and stay up; afterwards streams, sessions and runs go on',
      '0286-a-silent-engine-is-waited-for',
    ],
    'processes.conformance': [
      'Processes on a given deployment are tried under load, one of each kind is killed, and a dated report counts what is stored',
      '0127-conformance-of-a-deployment',
    ],
    'processes.schema': [
      'A process that is too old or too new for the data does not start, and says why in one line',
      '0221-two-releases-side-by-side',
    ],
  }),
  ...proved('Authentication', {
    'auth.ingestion': '/api/uploads requires a workflow key in the x-api-key header',
    'auth.service': '/api/service requires a service key in the x-api-key header',
  }),
  ...proved('Authentication', {
    'auth.ingestion.scope': 'Uploads with a workflow key belong to the organization and project of the key',
    'auth.ingestion.binding': 'The agentGraphId of a workflow key decides which workflow runs',
    'auth.service.scope': 'A service key sees nothing of other organizations or projects',
    'auth.family': ['A valid key of the other family returns 403', '0017-api-keys'],
    'auth.header_only': ['A key in the query string does not authenticate', '0017-api-keys'],
    'auth.hash': 'The database stores no API key in clear text',
    'auth.each_call': 'Keys are verified on each call: a revoked key stops working at once',
    'auth.device': [
      'A key issued for a device keeps the device in its record and works like any other key',
      '0017-api-keys',
    ],
    'auth.idempotency_scope': 'Two service keys can use the same idempotencyKey without conflict',
    'auth.key.format': ['A mistyped key is rejected without a database read', '0017-api-keys'],
    'auth.key.issue': ['The command line issues a key and shows its secret once', '0017-api-keys'],
    'auth.key.rotate': ['A rotated key works until its grace time ends', '0017-api-keys'],
  }),
  ...proved('Authentication', {
    'auth.dashboard': '/api/dashboard requires a session cookie',
  }),
  ...proved('Authentication', {
    'auth.session.cookie': 'The session cookie is named app.session_token',
    'auth.session.library': 'The session cookie is issued by the authentication library',
    'auth.session.chat_scope': 'Dashboard chat is scoped to the active organization of the session',
    'auth.session.secondary_store': 'Sessions use a secondary session store',
    'auth.second_factor': [
      'Sign-in of a person with a second factor opens a session only after a code of their app',
      '0088-second-factors',
    ],
    'auth.second_factor.demanded': [
      'An organization that demands a second factor refuses members without one, and programs that act for them',
      '0095-organizations-demand-second-factors',
    ],
    'auth.passkey.sign_in': [
      'A passkey that verified the person opens a session of its person, once for each challenge',
      '0102-passkeys',
    ],
    'auth.passkey.second_factor': [
      'A session in which a passkey was shown meets the demand for a second factor, as long as its person has a passkey',
      '0102-passkeys',
    ],
    'auth.session.signature': [
      'A session cookie with a wrong signature is refused before anything is read, and a right one is checked without the thread pool',
      '0275-session-cookies-are-checked-at-once',
    ],
    'auth.password.turns': [
      'Passwords are hashed two at a time; where too many wait, sign-in answers 503 with Retry-After before it hashes',
      '0274-passwords-are-hashed-in-turn',
    ],
    'auth.password.process': [
      'A signed-in person waits for no hash of a password, and a hashing process that ends is replaced',
      '0274-passwords-are-hashed-in-turn',
    ],
    'auth.session.recent': [
      'A session whose sign-in is older than 15 minutes makes no sensitive change before it proves the person again',
      '0086-recent-sign-in',
    ],
    'auth.debug.session': 'API_DEBUG=true creates a seeded session',
    'auth.debug.token': 'DASHBOARD_SESSION_TOKEN supplies the token of the seeded session',
  }),
  ...proved('Authentication', {
    'auth.mcp.oauth': 'The MCP service authenticates agents with OAuth',
    'auth.mcp.hosts': [
      'The MCP service answers at the hosts of MCP_URL, BASE_URL, OBJECTS_URL and ALLOWED_HOSTS, in any spelling and with any port, and elsewhere says which setting to change',
      '0260-allowed-hosts',
    ],
    'auth.mcp.client_documents': [
      'Where the host of a client metadata document cannot be reached, the page says so and which setting to change, and programs are led to register instead; OAUTH_CLIENT_METADATA=off refuses documents',
      '0262-client-metadata-documents',
    ],
    'auth.mcp.loopback': [
      'On one machine, OAuth metadata, challenges, issuer and audience are those of the loopback name that was asked, and a token of one name is good at the others',
      '0261-loopback-names',
    ],
  }),
  ...proved('Authentication', {
    'auth.mcp.scopes': 'Permission scopes are named, granted by the user, and checked on every call',
  }),
  ...proved('Events', {
    'events.upload': 'document/process.upload is emitted once the object is verified and the document created',
    'events.upload.only_ingest': 'Service ack emits no document/process.upload',
    'events.upload.consumer':
      'The agents service consumes document/process.upload and runs the workflow bound to the key',
    'events.upload.payload': [
      'The event has id, name, ts and, in data, the ids of document, key, workflow and execution',
      '0013-events-and-outbox',
    ],
    'realtime.segmentation_created': 'The realtime feed publishes segmentation creation',
    'events.upload.durable': [
      'An event emitted before a crash is delivered after the crash, exactly once',
      '0013-events-and-outbox',
    ],
    'events.late_number': [
      'An event that is stored after one with a higher number reaches webhooks, feeds and MCP subscriptions once; streams tell it in its place',
      '0287-readers-wait-at-a-gap',
    ],
    'events.upload.long_document': [
      'A worker that is killed while it reads a long document costs at most the page that it was reading: pages are stored one by one',
      '0126-pages-have-records',
    ],
  }),
  ...proved('Events', {
    'events.dashboard.document': 'The dashboard document event follows ack on the dashboard path',
    'events.dashboard.consumer': 'The realtime feed consumes the dashboard document event',
    'realtime.document_created': 'The realtime feed publishes document creation',
    'realtime.ocr_created': 'The realtime feed publishes OCR creation',
    'realtime.description_upserted': 'The realtime feed publishes description upsert',
    'realtime.run_created': 'The realtime feed publishes run creation',
    'realtime.run_step_changed': 'The realtime feed publishes run step change',
    'realtime.run_completed': 'The realtime feed publishes run completion',
    'realtime.run_pages': [
      'Pages that a run has read are told on the feed and to calls that wait for it, at most once a second',
      '0232-pages-are-told-once-a-second',
    ],
    'realtime.workflow_changed': [
      'A change of a workflow (created, edited, restored, published, deleted) is told on the feed after it is stored, and makes the queries of pages old',
      '0013-events-and-outbox',
    ],
    'realtime.tabs': 'The realtime feed keeps the Docs and Runs tabs live',
    'realtime.names': ['Each kind of change has exactly one event name', '0013-events-and-outbox'],
    'chat.sources.event': 'The chat stream emits assistant_sources events',
  }),
  ...proved('Errors', {
    'errors.key_reused': 'An execution idempotencyKey reused with different input returns 409',
    'errors.shape': [
      'Every error is application/problem+json with code, detail and requestId',
      '0003-errors-are-problem-json',
    ],
    'errors.credentials': [
      'Missing, unknown, revoked and expired keys return 401 with identical bodies',
      '0003-errors-are-problem-json',
    ],
    'errors.unknown_id': [
      'An unknown id and an id of another tenant return the same 404',
      '0003-errors-are-problem-json',
    ],
    'errors.invalid_body': [
      'An invalid body returns 400 with a pointer to each wrong field',
      '0003-errors-are-problem-json',
    ],
    'errors.malformed_body': ['A body that is not JSON returns 400', '0003-errors-are-problem-json'],
    'errors.object_missing': [
      'Ack of an object that is not there returns 409 upload.object_missing',
      '0003-errors-are-problem-json',
    ],
    'errors.object_mismatch': [
      'Failed object verification returns 422 upload.mismatch and names what differed',
      '0003-errors-are-problem-json',
    ],
    'errors.request_id': ['Every response has the x-request-id header', '0003-errors-are-problem-json'],
    'errors.no_internals': [
      'An unexpected error returns 500 without stack, path or message',
      '0003-errors-are-problem-json',
    ],
  }),
  ...proved('Limits', {
    'limits.upload_size': ['A size over the maximum returns 413 at presign', '0005-limits-and-accepted-types'],
    'limits.upload_body': ['An upload longer than the signed size is not stored', '0005-limits-and-accepted-types'],
    'limits.page_size': [
      'limit is 25 by default; below 1 it returns 400, and above 100 it counts as 100',
      '0004-ids-time-and-paging',
    ],
    'limits.rate': ['A request over the rate limit returns 429 with Retry-After', '0005-limits-and-accepted-types'],
    'limits.presign_lifetime': [
      'An upload URL stops working when its lifetime ends',
      '0006-presign-reply-and-lifetime',
    ],
    'limits.content_types': ['A media type that is not accepted returns 415', '0005-limits-and-accepted-types'],
    'limits.json_body': ['A JSON body over 1 MiB returns 413', '0005-limits-and-accepted-types'],
    'limits.document_ids': ['More than 500 documentIds return 400', '0005-limits-and-accepted-types'],
    'limits.initial_state': [
      'initialState over its size or depth, or with forbidden keys, returns 400',
      '0005-limits-and-accepted-types',
    ],
    'limits.inputs': [
      'Odd and hostile files are refused or fail with a named reason, are read, or end as blank where they are: none ends as blank without a warning that is not, and none ends the service',
      '0217-pages-that-only-seem-blank-are-told',
    ],
    'limits.pixels': ['An image over 50 megapixels returns 422', '0005-limits-and-accepted-types'],
  }),
  ...proved('API description', {
    'service.openapi.contracts': 'openapi.json is generated from the contracts that the routes use',
    'service.openapi.words': [
      'Operations of openapi.json have a tag and a summary, and their parameters and fields descriptions',
      '0015-openapi-and-versioning',
    ],
    'service.openapi.frames': [
      'Frames of the chat, of the realtime feed and of executions are described by their type, as oneOf with a discriminator',
      '0015-openapi-and-versioning',
    ],
    'service.openapi.clean': [
      "Spectral's rules for OpenAPI and Redocly's recommended rules find nothing in the documents that the service sends",
      '0193-openapi-for-linters-and-generators',
    ],
    'service.openapi.clients': [
      'Clients that three generators make of openapi.json compile, and one of them turns a folder into a table',
      '0193-openapi-for-linters-and-generators',
    ],
    'service.openapi.live': ['Live responses match openapi.json', '0015-openapi-and-versioning'],
    'service.openapi.version': [
      'openapi.json states OpenAPI 3.1 and the version of the service; paths carry no version',
      '0015-openapi-and-versioning',
    ],
  }),
];
