import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { createQueryClient } from './api/query-client.ts';
import { makePages } from './router/pages.ts';
import { parts } from './router/parts.ts';
import { here, hrefOf, keepScroll, move } from './router/place.ts';
import { reloadAfterDeployment } from './shell/errors.tsx';
import { Dashboard } from './shell/layout.tsx';
import { keepLook } from './shell/theme.ts';
import './app.css';

// The chat library's validator would try `new Function`, which the content security policy reports.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

const client = createQueryClient();

reloadAfterDeployment();
keepLook();
parts.start(makePages(client));
keepScroll();
// Beside the frame, not after it.
void parts.arriving(hrefOf(here()));

const place = document.querySelector('#root');
if (place === null) throw new Error('The page has no place for the dashboard.');
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <Router aroundNav={(_, to, manner) => move(to, manner)}>
        <Dashboard />
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
