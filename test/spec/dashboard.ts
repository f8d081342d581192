import { proved } from './requirement.ts';

/** The dashboard API. */
export const dashboard = [
  ...proved('Dashboard API', {
    'dashboard.presign': 'Dashboard presign returns upload URL data',
    'dashboard.presign.project_id': 'Dashboard presign requires projectId, a string',
    'dashboard.presign.content_type': 'Dashboard presign requires contentType, a string',
    'dashboard.presign.size': 'Dashboard presign requires size, an integer',
    'dashboard.ack': 'Dashboard ack with objectKey creates the document',
    'dashboard.ack.object_key': 'The objectKey of a dashboard upload has the shape uploads/.../dashboard/.../<file>',
    'dashboard.ack.event': 'Dashboard ack publishes the dashboard document event',
    'dashboard.ack.no_run': 'Dashboard ack starts no run',
    'dashboard.workflows.drafts': 'Lists of workflows tell which drafts are ahead of the published version',
    'dashboard.run': 'An operator can queue any saved workflow for any saved document',
    'dashboard.run.workflow_id': 'Queueing requires workflowId, an agentGraphId',
    'dashboard.run.reply': 'Queueing returns status, documentId, workflowId and workflowName',
    'dashboard.run.repeat': 'A processed document can be queued again, with the same or another workflow',
    'dashboard.run.key_unchanged': 'Queueing does not change the workflow that a workflow key is bound to',
    'dashboard.list': 'Lists document cards and a nextCursor',
    'dashboard.list.organization_id': [
      'A list with organizationId works with a session, and so does one without',
      '0016-search-ranking-and-organization',
    ],
    'dashboard.list.organization_needed': [
      'A list without organizationId and without an active organization returns 400',
      '0016-search-ranking-and-organization',
    ],
    'dashboard.list.query': 'query searches the documents',
    'dashboard.list.limit': 'limit, an integer, is the page size of the card list',
    'dashboard.list.cursor': 'cursor accepts the nextCursor of the previous page',
    'dashboard.list.query_cursor': 'nextCursor is null for a list with query',
    'dashboard.search.lexical': 'Lexical ranking is always included',
    'dashboard.search.hybrid': 'DOCUMENT_SEARCH_MODE=hybrid blends in semantic matches of descriptions',
    'dashboard.search.fallback': [
      'Without a usable embedding, lexical ranking is used alone',
      '0016-search-ranking-and-organization',
    ],
    'dashboard.ocr': 'Lists the OCR results of a document',
    'dashboard.segmentations': 'Lists the segmentation results of a document',
    'dashboard.member.project_role': [
      'A role in one project takes the place of the role in the organization, from the next call on',
      '0087-leaving-members-and-project-roles',
    ],
    'dashboard.member.access_ends': [
      'With a member, OAuth clients that they created end and webhooks whose address they set are disabled, unless they are kept',
      '0283-clients-and-webhooks-end-with-their-member',
    ],
    'dashboard.member.leaves': [
      'With a member, the programs that they connected and the API keys that they made and that can write lose access at once',
      '0087-leaving-members-and-project-roles',
    ],
    'chat.stream': 'Chat returns a stream of Server-Sent Events',
    'chat.messages': 'Chat takes messages in the common AI chat message shapes',
    'chat.project_ids': 'projectIds narrows the chat to projects',
    'chat.api_key_ids': 'apiKeyIds narrows the chat to documents that those keys uploaded',
    'chat.document_ids': 'documentIds narrows the chat to documents',
    'chat.default_scope': 'Without filters, chat covers the active organization of the session',
    'chat.sources': 'Source cards are sent as events named assistant_sources',
    'chat.sources.card': 'A source card has document metadata and the matched excerpts',
    'chat.grounded.description': 'Answers are grounded in stored descriptions',
    'chat.grounded.ocr': 'Answers are grounded in OCR text',
    'chat.grounded.segmentation': 'Answers are grounded in related segmentation context',
    'chat.proxy': 'The web bundle reaches chat at /api/documents/chat',
    'realtime.stream': 'The realtime feed is a stream of Server-Sent Events',
    'realtime.proxy': 'The web bundle reaches the realtime feed at /api/realtime/dashboard',
  }),
  ...proved('Dashboard API', {
    'drafts.run': [
      'A draft runs as it is with version draft, marked in its runs, executions and receipts, and pinned to its graph',
      '0165-drafts-run-apart',
    ],
    'drafts.apart': [
      'A run of a draft changes no document, card, search, list or feed, and sends no request that changes something elsewhere',
      '0165-drafts-run-apart',
    ],
    'drafts.live': [
      'Members follow the runs of drafts and experiments over the stream of their execution, as long as they may read it',
      '0269-runs-that-the-feed-leaves-out',
    ],
    'drafts.rights': 'Running a draft needs the scope workflows:write, and an error about it names both ways on',
    'drafts.node': [
      'A node runs by itself on a document with a given state, and shows what it writes or asks',
      '0166-one-node-on-a-document',
    ],
    'agent.servers': [
      'An agent node calls tools of MCP servers at hosts that the operator lists, and its step names them',
      '0195-agents-call-mcp-servers',
    ],
    'agent.servers.checked': [
      'The checker warns of unlisted hosts of MCP servers, and refuses secrets that are not bound to them and addresses that are not constant',
      '0195-agents-call-mcp-servers',
    ],
    'workflows.check.installation': [
      'The check warns of models, hosts, secrets and languages that are not here and of results in no output, each with a way out',
      '0167-the-checker-knows-the-installation',
    ],
    'workflows.publish.warnings': [
      'A workflow whose secret is not set is published with a warning in the answer, over REST and MCP, and its runs fail with the name of the secret and the way out',
      '0167-the-checker-knows-the-installation',
    ],
    'context.installation': [
      'The context tells models, null where there is none, languages of OCR, hosts that may be called, and limits',
      '0167-the-checker-knows-the-installation',
    ],
    'drafts.retention': 'Runs of drafts go with their results after the time that runs of experiments are kept',
  }),
  ...proved('Dashboard pages', {
    'web.pages': [
      'The API serves the dashboard at every address of a page, to people who are signed in',
      '0182-the-dashboard-is-built-on-demand',
    ],
    'web.policy': 'Pages of the dashboard run scripts of this service alone, under Trusted Types',
    'web.assets': 'Parts of the dashboard are cached for a year by their content, and a missing one is never a page',
    'web.absent': 'Without a dashboard the API goes on, and its pages say what to do',
  }),
];
