import { readFileSync, writeFileSync } from 'node:fs';
import { eventsPage } from './events-page.ts';

/** `npm run docs`: writes the pages, or their parts, that are made from the code. */
const EVENTS = new URL('./events.md', import.meta.url);

writeFileSync(EVENTS, eventsPage(readFileSync(EVENTS, 'utf8')));
