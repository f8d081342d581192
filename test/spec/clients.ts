import { proved } from './requirement.ts';

/** The client and the command. */
export const clients = [
  ...proved('Service API', {
    'lists.documents.digests': [
      'sha256 narrows the list of documents to those with these bytes, up to 50 digests in one request',
      '0186-push-asks-the-server',
    ],
    'service.records.boxes': [
      'boxes=true adds the page and the box of each field to records as CSV',
      '0187-a-folder-becomes-a-table',
    ],
    'client.rows': [
      'The client has a method for each row of the service API, and throws a Problem with the words of the server',
      '0185-the-client-is-a-package-with-generated-types',
    ],
    'client.upload': [
      'The client uploads with progress, goes on after a lost response, and with dedupe returns the document that is there',
      '0185-the-client-is-a-package-with-generated-types',
    ],
    'client.follow': [
      'The client waits for executions, goes through pages, and follows events over a broken connection, each once',
      '0185-the-client-is-a-package-with-generated-types',
    ],
    'client.webhooks': [
      'The client verifies webhooks of either header form, also during a rotation, and refuses others and old ones',
      '0185-the-client-is-a-package-with-generated-types',
    ],
    'command.push': [
      'A push that is killed and repeated makes one document and one run of each file',
      '0186-push-asks-the-server',
    ],
    'command.push.reads': [
      'A push that names no workflow reads the documents that no workflow has read',
      '0186-push-asks-the-server',
    ],
    'command.push.failures': [
      'A file or run that fails is named in one line, the others go on, and the push ends with 1',
      '0186-push-asks-the-server',
    ],
    'command.watch': ['A file that comes into a watched folder becomes a document', '0186-push-asks-the-server'],
    'langgraph.studio': [
      "LangGraph's own server runs the workflows in code on a document, with their questions, state, history and forks",
      '0197-langgraphs-tools-run-the-graphs',
    ],
    'langgraph.access': [
      "Runs of LangGraph's tools have the rights of a service key, show nothing in documents and search, and send nothing",
      '0197-langgraphs-tools-run-the-graphs',
    ],
    'command.read': [
      'The command searches, reads, asks and exports; control characters of documents do not reach the terminal',
      '0187-a-folder-becomes-a-table',
    ],
    'code.folder': [
      'Nodes, workflows and evaluators of WORKFLOWS_DIR are checked at the start, with their file in each error',
      '0198-code-of-a-folder',
    ],
    'code.project': [
      'A project made by init depends on the package, runs its own nodes and agents, and restarts when a file is saved by rename',
      '0198-code-of-a-folder',
    ],
    'code.errors': [
      'An error that a node of your own throws is told with its name and message in the step, the run, MCP and the page, and without its stack in production',
      '0285-errors-of-your-own-code-are-told',
    ],
    'code.langgraph': [
      'A compiled graph of LangGraph is a node: its interrupts are questions, and its checkpoints are kept with the run',
      '0199-graphs-of-langgraph-as-nodes',
    ],
  }),
];
