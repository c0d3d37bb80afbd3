import { render } from 'preact';
import { App } from './app.tsx';
import { connect } from './state/connect.ts';
import './style/base.css';
import './style/layout.css';
import './style/phone.css';
import './style/flow.css';
import './style/controls.css';

const root = document.getElementById('console');
if (root === null) throw new Error('The page has no element for the console.');
render(<App />, root);
void connect();
