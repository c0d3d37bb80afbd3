/** Vite takes the style sheets out of the script. */
declare module '*.css';
