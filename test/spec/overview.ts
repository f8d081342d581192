import { proved } from './requirement.ts';

/** The way of a document through the services, and the states of what it meets. */
export const overview = [
  ...proved('Life of a document', {
    'flow.addresses': 'The API, the agents service and the MCP service each have an address of their own',
    'flow.object_storage': 'The bytes of an acknowledged upload are kept in object storage',
    'flow.document': 'An acknowledged upload is recorded as a document',
    'flow.presign': 'Presign takes a content type and a size and returns an upload URL, for every kind of key',
    'flow.put': 'The upload URL accepts the file as a raw PUT body at the object store, not at the API',
    'flow.put.no_key': 'The PUT to the upload URL needs no API key',
    'flow.ack': 'Ack takes the object key, verifies that the object exists and creates the document',
    'flow.ack.missing': [
      'Ack of an object that was never uploaded creates no document',
      '0007-ack-checks-and-pins-the-object',
    ],
    'flow.ingest.workflow': 'After ack on the workflow-key path the agents service runs the workflow bound to the key',
    'flow.ingest.other_keys': 'A document uploaded with one workflow key never runs the workflow of another key',
    'flow.pipeline.image_embedding': 'The default pipeline stores an image embedding of the document',
    'flow.pipeline.description': [
      'The default pipeline stores a generated description of the document',
      '0019-local-models-are-labelled',
    ],
    'flow.pipeline.index': 'The default pipeline puts the document into the vector index, so that search finds it',
    'flow.service.materialized': 'Service ack confirms the object and materializes the document',
    'flow.service.no_run': 'Service ack starts no workflow by itself',
    'flow.service.visibility': 'The visibility of a service upload is the one given at presign',
  }),
  ...proved('Life of a document', {
    'dashboard.flow.event': 'Dashboard ack creates the document and publishes a dashboard document event',
    'dashboard.flow.no_run': 'Dashboard ack runs no workflow by itself',
    'dashboard.flow.queue': 'An operator queues a workflow on a document uploaded from the dashboard',
  }),
  ...proved('Life of a document', {
    'mcp.workflows': 'An agent connected over OAuth edits workflows',
    'mcp.documents': 'An agent connected over OAuth reads the documents of its project',
    'mcp.schemas': [
      'Schemas of tools have single types, text enums and anyOf only, in and out and at any depth',
      '0170-schemas-that-every-provider-takes',
    ],
    'mcp.schemas.states': [
      'The schema of a result shows each status, state, verdict and certainty with its values, at any depth',
      '0192-lists-of-tools-show-states',
    ],
    'mcp.schemas.words': [
      'Every parameter is described, every integer bounded, required parameters come first, and ten tools have an example',
      '0170-schemas-that-every-provider-takes',
    ],
    'mcp.schemas.strict': [
      'OpenAI and Anthropic take every tool, and the calls that a strict mode writes are understood',
      '0170-schemas-that-every-provider-takes',
    ],
    'mcp.schemas.gemini': [
      'The converters of @google/genai and LangChain bring every tool to Gemini without loss',
      '0170-schemas-that-every-provider-takes',
    ],
    'mcp.lenient_input': [
      'JSON that comes as text, null for an optional parameter, and the other name of an id are accepted',
      '0170-schemas-that-every-provider-takes',
    ],
    'mcp.workflow_tools.listed': [
      'A published workflow with a tool is an MCP tool of its project, and sessions are told when the tools change',
      '0194-workflows-are-tools',
    ],
    'mcp.workflow_tools.called': [
      'A call of it runs the published version on the document and answers with outputs, the error or the open question',
      '0194-workflows-are-tools',
    ],
    'mcp.workflow_tools.input': [
      'Its input is held to the schema of the author, and each field that does not fit is named',
      '0194-workflows-are-tools',
    ],
    'mcp.workflow_tools.names': [
      'Its name is that of no other tool; where two projects have one, both get a suffix',
      '0194-workflows-are-tools',
    ],
    'mcp.stdio.answers': 'A local client that closes its end gets the answers to all that it had sent',
    'mcp.sessions.replaced': [
      'A new MCP session replaces one that was left, before an older one in use; a client whose session was replaced is told so',
      '0171-sessions-in-use-stay',
    ],
    'mcp.sessions.returned': [
      'After a restart a session has its subscriptions, is told once of what may have changed, asks its user again, and takes no answer to a question of before',
      '0265-session-ids-outlive-the-process',
    ],
    'mcp.sessions.own': [
      'An MCP session id serves its own person and program, with the rights it began with or more: another one, a changed one or one of another installation is unknown',
      '0265-session-ids-outlive-the-process',
    ],
    'mcp.sessions.restart': [
      'An older MCP client goes on with its session after the service was killed and started again, in any process of the installation',
      '0265-session-ids-outlive-the-process',
    ],
    'mcp.trust': [
      "Only values of documents and models stand between untrusted tags: the author's question and the service's own errors stand outside, and structured content says which values are which",
      '0172-whose-words',
    ],
    'mcp.places': [
      'Searches, read text and answers tell page and boxes as tight as the line, and boxes can be drawn into the picture of a page',
      '0173-places',
    ],
    'mcp.places.pages':
      'Text of several pages says where each begins, is read by page, and its parts join to the whole',
    'mcp.jobs': [
      'A program that knows only what tools answer mends, builds, compares and finds within committed calls and tokens',
      '0183-evals-of-the-tools',
    ],
    'mcp.agents': [
      'Agents of LangChain, the AI SDK and the OpenAI Agents SDK search and read over MCP with any OpenAI-compatible model',
      '0184-examples-for-three-agent-libraries',
    ],
    'mcp.workflows.by_name': 'An agent finds a workflow by a part of its name',
    'document.similar': [
      'Documents that look or read like one are listed, near duplicates first, to those who may read them',
      '0174-similar-documents-and-verified-receipts',
    ],
    'document.indexed_again': [
      'A workflow that indexes a document without a description or vectors leaves those of an earlier run: search and similar documents still find it by them',
      '0254-an-index-keeps-what-a-run-has-not',
    ],
    'document.near_duplicates': [
      'A document that shows the page of an older one of its project is marked as its near duplicate; other pages of a form are not',
      '0203-near-duplicates-are-marked',
    ],
    'run.receipt.verify': [
      'A receipt is verified against stored steps and outputs by REST, an agent and the command line, which say what differs',
      '0174-similar-documents-and-verified-receipts',
    ],
    'mcp.scopes': 'An agent can do no more than the scopes it was granted allow',
    'graph.outputs': [
      'Every node type declares the schema of what it writes, and its runs write values of that schema',
      '0168-node-types-declare-what-they-write',
    ],
    'graph.fields': [
      'The checker finds a misspelt field in every kind of expression of a graph, with its correction, and reports nothing that is not known',
      '0168-node-types-declare-what-they-write',
    ],
    'graph.declared': [
      'An edit may leave set_state_field out: each channel that a node writes is declared with the schema of what is written',
      '0169-edits-declare-channels',
    ],
  }),
  ...proved('Life of a document', {
    'mcp.experiments': [
      'An agent connected over OAuth runs experiments: it finds a regression, is refused its publication, and publishes the version that was confirmed',
      '0099-gates-and-searches',
    ],
    'mcp.experiments.trying_often': [
      'An agent that tries twenty equal variants is told that none is better',
      '0099-gates-and-searches',
    ],
    'mcp.experiments.cost': [
      'Comparing two variants over many documents costs an agent at most 6 calls and 3,000 tokens',
      '0098-experiments-are-ordinary-runs-kept-apart',
    ],
    'experiments.lost.no_verdict': [
      'An experiment whose runs failed by the machinery, such as a refused key, gives no verdict and says how many failed for which reason, over REST and MCP; the gate of its workflow stays shut, also for such experiments of older versions',
      '0271-lost-runs-are-no-observations',
    ],
    'experiments.lost.one_sided': [
      'Where the runs of one version time out on 30 % of the documents, there is no verdict, and the sentence says which version failed how often',
      '0271-lost-runs-are-no-observations',
    ],
    'experiments.lost.repeated': [
      'A run that failed by the machinery is repeated; a verdict with up to 2 % of lost documents is one that they could not have changed',
      '0271-lost-runs-are-no-observations',
    ],
    'experiments.lost.judgements': [
      'Judgements that cannot be read are asked for again, counted and told; with more than 2 % of them there is no verdict',
      '0271-lost-runs-are-no-observations',
    ],
  }),
  ...proved('States', {
    'resource.visibility.presign': 'A document has the visibility declared when its upload was presigned',
    'resource.visibility.endpoint': 'The visibility endpoint changes the visibility of a document',
    'flow.run.created': 'A run exists as soon as its execution is accepted',
    'flow.run.steps': 'A run records every change of its steps',
    'flow.run.completed': 'A run records its completion',
    'resource.execution.states': [
      'An execution goes from queued through running to a final state',
      '0010-executions-runs-and-states',
    ],
    'resource.run.states': [
      'A run is queued, running, waiting, succeeded, failed, canceled or timed_out, and nothing else',
      '0010-executions-runs-and-states',
    ],
    'resource.document.states': [
      'A document is complete from its ack on: no partial document ever exists',
      '0007-ack-checks-and-pins-the-object',
    ],
  }),
  ...proved('States', {
    'dashboard.run.queued': 'Queueing a workflow on a document from the dashboard returns the status queued',
  }),
];
