/** Bare Express: answers each path of a JSON file with its body, from memory. */
import { readFile } from 'node:fs/promises';
import express from 'express';
import { listenHere } from '#scripts/bench/peers/listen-here.ts';

const file = process.argv[2];
const text = file === undefined ? '{}' : await readFile(file, 'utf8');
const bodies = new Map(Object.entries(JSON.parse(text) as Record<string, string>));

const app = express();
app.get('/one/:id', (request, response) => void response.type('json').send(bodies.get(request.params.id)));
app.get('/list', (_request, response) => void response.type('json').send(bodies.get('list')));
app.get('/health', (_request, response) => void response.json({ status: 'ok' }));
await listenHere(app);
