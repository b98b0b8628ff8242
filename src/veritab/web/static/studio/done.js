// A task that is done: the checker's answer comes when it is ready.

import { loadSuggestion } from "./suggestion.js";

loadSuggestion();
