import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDocumentStore } from '#src/adapters/database/documents.ts';
import { createReadDocument } from '#src/agents/read-document.ts';
import { agent } from '#graphs/nodes/agent.ts';
import { attempt, faultOf, modelBench, pageOf, run, said, type ModelBench } from '#test/graphs/support/model-nodes.ts';
import { documentRecord } from '#test/support/records.ts';
import { chatStream, toolStream, type Behaviour } from '#test/support/openai-server.ts';
