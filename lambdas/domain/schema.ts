import { config } from 'zod/mini';
import english from 'zod/v4/locales/en.js';

// zod/mini carries no messages of its own; only this one language's are bundled, for they are parsed at every cold start.
config(english());

export * from 'zod/mini';
