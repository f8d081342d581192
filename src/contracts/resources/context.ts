import { z } from 'zod';
import { documentTypes } from '#src/contracts/media-types.ts';
import { Role } from '#src/contracts/organization/member.ts';
import { scopes } from '#src/contracts/scopes.ts';

export const ContextResult = z.object({
  organization: z.object({ id: z.string(), name: z.string() }),
  projects: z.array(z.object({ id: z.string(), name: z.string() })),
  credential: z.object({
    kind: z.string(),
    id: z.string().describe('Id of the key, user or program'),
    name: z.string(),
    email: z.string().optional(),
    role: Role.optional().describe('Role of the user'),
    clientId: z.string().optional().describe('OAuth: client id of the program'),
  }),
  scopes: z.array(z.enum(scopes)),
  models: z.object({
    describer: z.string(),
    textEmbeddings: z.string(),
    imageEmbeddings: z.string(),
    answers: z.string().describe('local/extractive without a model'),
    chat: z.string().nullable().describe('Model of llm and agent nodes, and of the engine model; null: none'),
    segmentation: z.string().nullable().describe('Remote engine; null: none'),
  }),
  languages: z.array(z.string()),
  hosts: z.array(z.string()).optional().describe('For http nodes'),
  limits: z.object({
    uploadMaxBytes: z.int(),
    contentTypes: z.array(z.enum(documentTypes)).describe('Accepted uploads'),
    documentIds: z.int(),
    pageMax: z.int(),
  }),
});
